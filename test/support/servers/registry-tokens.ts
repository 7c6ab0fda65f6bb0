import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TokenAuth } from './registry.ts';

const issuer = 'tokens';
const service = 'images';
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Starts the token server of a registry. It gives `ada` what `allowed` lists of the actions that a request asks for. */
export async function startRegistryTokens(allowed: readonly string[]): Promise<TokenAuth & { scopes: string[] }> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = encode({ typ: 'JWT', alg: 'ES256', kid: 'test' });
  const scopes: string[] = [];
  const server = createServer((request, response) => {
    const scope = new URL(request.url ?? '', 'http://tokens').searchParams.get('scope');
    if (scope !== null) scopes.push(scope);
    if (request.headers.authorization !== `Basic ${Buffer.from('ada:correct-horse').toString('base64')}`) {
      response.writeHead(401).end('{"details":"the password battery-staple is wrong"}');
      return;
    }
    const [type = '', name = '', actions = ''] = scope?.split(':') ?? [];
    const given = actions.split(',').filter((action) => allowed.includes(action));
    const access = scope === null ? [] : [{ type, name, actions: given }];
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now - 10, nbf: now - 10, exp: now + 300 };
    const claims = encode({ iss: issuer, aud: service, sub: 'ada', jti: randomUUID(), ...times, access });
    const text = `${header}.${claims}`;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    response.end(JSON.stringify({ token: `${text}.${signature.toString('base64url')}` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'test', alg: 'ES256', use: 'sig' };
  const realm = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  return { realm, service, issuer, jwks: { keys: [jwk] }, scopes };
}
