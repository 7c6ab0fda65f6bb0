import type { ApiDeps, App } from '../deps.ts';
import { problemsAsPages } from '../http/problem-page.ts';
import { createIdentityProvider } from './create-identity-provider.ts';
import { deleteIdentityProvider } from './delete-identity-provider.ts';
import { finishProviderSignIn } from './finish-provider-sign-in.ts';
import { getIdentityProvider } from './get-identity-provider.ts';
import { listIdentityProviders } from './list-identity-providers.ts';
import { listSignInMethods } from './list-sign-in-methods.ts';
import { toSignInAgainPage } from './render-sign-in-again-page.ts';
import { replaceIdentityProvider } from './replace-identity-provider.ts';
import { startProviderSignIn } from './start-provider-sign-in.ts';

export function identity(app: App, deps: ApiDeps): void {
  app.use('/v1/auth/providers/*', problemsAsPages(toSignInAgainPage));
  listSignInMethods(app, deps);
  startProviderSignIn(app, deps);
  finishProviderSignIn(app, deps);
  listIdentityProviders(app, deps);
  createIdentityProvider(app, deps);
  getIdentityProvider(app, deps);
  replaceIdentityProvider(app, deps);
  deleteIdentityProvider(app, deps);
}
