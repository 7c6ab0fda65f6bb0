import type { ApiDeps, App } from '../deps.ts';
import { problemsAsPages } from '../http/problem-page.ts';
import { authorizeZoneRequest } from './authorize-zone-request.ts';
import { toSignInProblemPage } from './render-sign-in-page.ts';
import { signInToZone } from './sign-in-to-zone.ts';
import { startZoneSignIn } from './start-zone-sign-in.ts';

export function zoneAccess(app: App, deps: ApiDeps): void {
  app.use('/v1/auth/zone-sign-in', problemsAsPages(toSignInProblemPage));
  authorizeZoneRequest(app, deps);
  startZoneSignIn(app, deps);
  signInToZone(app, deps);
}
