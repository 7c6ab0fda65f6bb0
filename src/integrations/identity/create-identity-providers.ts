import { githubProviders } from './github.ts';
import type { IdentityProviders } from './identity-providers.ts';
import { openidProviders } from './openid.ts';

/** Signs people in with the protocol of each provider. */
export function createIdentityProviders(options: { fetch: typeof globalThis.fetch }): IdentityProviders {
  const openid = openidProviders(options);
  const github = githubProviders(options);
  return {
    assertUsable: async (client) =>
      await (client.type === 'github' ? github.assertUsable(client) : openid.assertUsable(client)),
    startSignIn: async (client) =>
      await (client.type === 'github' ? github.startSignIn(client) : openid.startSignIn(client)),
    finishSignIn: async (client, response) =>
      await (client.type === 'github' ? github.finishSignIn(client, response) : openid.finishSignIn(client, response)),
    renew: async (client, known, saveRefreshToken) =>
      await (client.type === 'github'
        ? github.renew(client, known, saveRefreshToken)
        : openid.renew(client, known, saveRefreshToken)),
  };
}
