import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { onTestFinished } from 'vitest';

/** A person at the provider, who signs in with their id and any password. */
export type Account = { email?: string; email_verified?: boolean; [claim: string]: unknown };

type ProviderOptions = {
  redirectUris: string[];
  accounts?: Record<string, Account>;
  onCleanup?: (close: () => Promise<void>) => void;
};

export const openIdClient = { clientId: 'delivery', clientSecret: 'the secret of the installation' };

/** Starts an OpenID provider, with the sign-in forms of its library. Its accounts can change at any time. */
export async function startOpenIdProvider({
  redirectUris,
  accounts = {},
  onCleanup = onTestFinished,
}: ProviderOptions) {
  let handle: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, await configure(redirectUris, accounts));
  const requests: string[] = [];
  const callback = provider.callback();
  const serve: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    void callback(request, response);
  };
  const refuse: RequestListener = (_, response) => void response.writeHead(503).end();
  handle = serve;
  return {
    issuer,
    accounts,
    /** The method and path of each request. */
    requests,
    /** Responds to everything, or to one path, with 503 until `start`. */
    stop: (path?: string) =>
      void (handle = (request, response) =>
        (path === undefined || request.url === path ? refuse : serve)(request, response)),
    start: () => void (handle = serve),
    /** Ends the grants of all people, as an administrator of the provider does. */
    async revokeGrants() {
      const tokens = provider.RefreshToken as unknown as { adapter: { revokeByGrantId(id: string): Promise<void> } };
      for (const id of grantIds) await tokens.adapter.revokeByGrantId(id);
    },
  };
}

/** The grants that providers of this process have made. */
const grantIds = new Set<string>();

async function configure(redirectUris: string[], accounts: Record<string, Account>): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'one' }] },
    cookies: { keys: ['a key of the cookies'] },
    clients: [
      {
        client_id: openIdClient.clientId,
        client_secret: openIdClient.clientSecret,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    issueRefreshToken: async (_, __, code) => {
      if (code.grantId) grantIds.add(code.grantId);
      return true;
    },
    rotateRefreshToken: true,
    ttl: { Session: 3600, Interaction: 3600, Grant: 86_400, AccessToken: 3600, IdToken: 3600, RefreshToken: 86_400 },
    findAccount: (_, id) => {
      const account = accounts[id];
      return account && { accountId: id, claims: () => ({ sub: id, ...account }) };
    },
  };
}
