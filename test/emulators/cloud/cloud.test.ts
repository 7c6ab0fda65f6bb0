import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isTrusted } from '../../../src/emulators/cloud/is-trusted.ts';
import { awsAccountId, buildTrustPolicy, roleArn, startTestCloud } from '../../support/servers/test-cloud.ts';

/** An issuer whose discovery document names itself, or another one. */
async function startIssuer({ names }: { names?: string } = {}) {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }];
  const server = createServer((request, response) => {
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    const document = { issuer: names ?? issuer, jwks_uri: `${issuer}/jwks` };
    response.writeHead(200).end(JSON.stringify(isDiscovery ? document : { keys }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sign = async (claims: object = {}, key = privateKey) =>
    await new SignJWT({ iss: issuer, sub: 'org:acme', aud: 'sts.amazonaws.com', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key);
  return { issuer, sign };
}

async function start(options: Parameters<typeof startIssuer>[0] = {}) {
  const { issuer, sign } = await startIssuer(options);
  const cloud = await startTestCloud({ issuer });
  const call = async (parameters: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ Version: '2011-06-15', ...parameters });
    const response = await fetch(cloud.url, { method: 'POST', body, headers });
    return { status: response.status, text: await response.text() };
  };
  const assume = async (token: string) =>
    await call({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: roleArn,
      RoleSessionName: 'test',
      WebIdentityToken: token,
    });
  return { ...cloud, issuer, sign, call, assume };
}

describe('AWS STS', () => {
  it('gives credentials for a token that the role trusts', async () => {
    const { sign, assume } = await start();
    const { status, text } = await assume(await sign());
    expect(status).toBe(200);
    expect(text).toContain(`<Arn>arn:aws:sts::${awsAccountId}:assumed-role/delivery/test</Arn>`);
    expect(text).toMatch(/<AccessKeyId>ASIA/);
  });

  it.each([
    ['another subject', { sub: 'org:rival' }, 403, 'AccessDenied'],
    ['another audience', { aud: 'another' }, 400, 'InvalidIdentityToken'],
    ['another issuer', { iss: 'http://127.0.0.1:1' }, 400, 'InvalidIdentityToken'],
  ])('refuses a token with %s', async (_, claims, status, code) => {
    const { sign, assume } = await start();
    const refused = await assume(await sign(claims));
    expect(refused.status).toBe(status);
    expect(refused.text).toContain(`<Code>${code}</Code>`);
  });

  it('refuses a token that another key signed, and a text that is none', async () => {
    const { sign, assume } = await start();
    const { privateKey } = await generateKeyPair('RS256');
    for (const token of [await sign({}, privateKey), 'none'])
      expect((await assume(token)).text).toContain('<Code>InvalidIdentityToken</Code>');
  });

  it('refuses a token whose discovery document names another issuer', async () => {
    const { sign, assume } = await start({ names: 'https://other.example.com' });
    const { text } = await assume(await sign());
    expect(text).toContain('<Code>InvalidIdentityToken</Code>');
    expect(text).toContain('retrieve verification key');
  });

  it('tells only the holder of credentials who they are', async () => {
    const { call } = await start();
    const credential = 'AWS4-HMAC-SHA256 Credential=ASIA0123456789ABCDEF/20261125/eu-central-1/sts/aws4_request';
    const refused = await call({ Action: 'GetCallerIdentity' }, { authorization: credential });
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('InvalidClientTokenId') });
  });
});

it('evaluates trust policies: all conditions must hold, and a denial wins', () => {
  const policy = buildTrustPolicy('https://issuer.example.com', 'org:acme');
  const provider = `arn:aws:iam::${awsAccountId}:oidc-provider/issuer.example.com`;
  const context = { 'issuer.example.com:aud': 'sts.amazonaws.com', 'issuer.example.com:sub': 'org:acme' };
  expect(isTrusted(policy, { provider, context })).toBe(true);
  expect(isTrusted(policy, { provider: `${provider}x`, context })).toBe(false);
  for (const key of Object.keys(context))
    expect(isTrusted(policy, { provider, context: { ...context, [key]: 'other' } })).toBe(false);
  const [statement] = policy.Statement;
  if (!statement) throw new Error('There is no statement.');
  expect(isTrusted({ Statement: [statement, { ...statement, Effect: 'Deny' }] }, { provider, context })).toBe(false);
});
