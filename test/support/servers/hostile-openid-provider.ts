import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';

type Claims = Record<string, unknown>;

/**
 * Starts a provider that can break the protocol in every way: `answer.idToken` makes the ID token from valid claims, and
 * the metadata can name any endpoint.
 */
export async function startHostileProvider() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const sign = async (claims: Claims): Promise<string> =>
    await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey);
  const answer: { idToken: (claims: Claims) => Promise<string>; claims: Claims; metadata: Claims; nonce: string } = {
    idToken: sign,
    claims: {},
    metadata: {},
    nonce: '',
  };
  /** The bodies of the requests for tokens. */
  const exchanges: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    void respond(request.url ?? '', request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function respond(url: string, body: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
    const sendJson = (content: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(content));
    };
    if (url === '/.well-known/openid-configuration')
      return sendJson({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        authorization_response_iss_parameter_supported: true,
        ...answer.metadata,
      });
    if (url === '/keys') return sendJson({ keys: [key] });
    if (url !== '/token') return void response.writeHead(404).end();
    exchanges.push(new URLSearchParams(Buffer.concat(await Array.fromAsync(body)).toString()));
    const now = Math.floor(Date.now() / 1000);
    const valid = { iss: issuer, aud: 'delivery', sub: 'ada', iat: now, exp: now + 300, nonce: answer.nonce };
    const person = { email: 'ada@example.com', email_verified: true, groups: [] };
    const claims = { ...valid, ...person, ...answer.claims };
    sendJson({ access_token: 'access', token_type: 'Bearer', id_token: await answer.idToken(claims) });
  }

  return { issuer, answer, exchanges, sign };
}
