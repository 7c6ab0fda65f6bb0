import { createSign, generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { createOctokitApp, registerApp, startTestCodehost } from './codehost-fixture.ts';

it('401: a JSON web token that is forged, malformed, expired or too long-lived', async () => {
  const codehost = await startTestCodehost();
  const { app } = await registerApp(codehost);
  const { privateKey: foreign } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const now = Math.floor(Date.now() / 1000);
  const getErrorMessage = async (token: string): Promise<string> => {
    const response = await fetch(`${codehost.apiUrl}/app`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(401);
    return ((await response.json()) as { message: string }).message;
  };

  expect(await getErrorMessage(signJwt(foreign, { iss: app.id, iat: now, exp: now + 60 }))).toBe(
    'A JSON web token could not be decoded',
  );
  expect(await getErrorMessage('a.b.c')).toBe('A JSON web token could not be decoded');
  expect(await getErrorMessage(signJwt(app.pem, { iss: app.id, iat: now - 100, exp: now - 10 }))).toContain(
    "'Expiration time' claim ('exp')",
  );
  expect(await getErrorMessage(signJwt(app.pem, { iss: app.id, iat: now, exp: now + 3600 }))).toContain(
    'too far in the future',
  );
  await expect(
    createOctokitApp(codehost, { id: app.id, pem: foreign }).octokit.request('GET /app'),
  ).rejects.toMatchObject({
    status: 401,
  });
  const { data } = await createOctokitApp(codehost, { id: app.client_id, pem: app.pem }).octokit.request('GET /app');
  expect(data?.id).toBe(app.id);
});

function signJwt(key: string, claims: Record<string, unknown>): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
}
