import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { createCloudIdentity } from '../../../src/main/wiring/cloud-identity.ts';
import { startApi } from '../../support/start-api.ts';
import { startWithCloud } from './cloud-fixture.ts';

const publicUrl = 'https://delivery.example.com';
const issuer = `${publicUrl}/api/v1/cloud-identity/oidc`;
const discoveryPath = '/v1/cloud-identity/oidc/.well-known/openid-configuration';

describe('getCloudIdentity', () => {
  it('200: tells what to enter at a cloud', async () => {
    const { request } = await startApi({ role: 'viewer', config: { publicUrl } });
    expect(await (await request('/v1/cloud-identity')).json()).toEqual({
      issuer,
      jwksUri: `${issuer}/jwks`,
      audiences: [
        { provider: 'aws', audience: 'sts.amazonaws.com' },
        { provider: 'google', audience: 'https://iam.googleapis.com/{workloadIdentityProvider}' },
      ],
      subject: 'org:{org}',
      reachable: true,
      findings: [],
    });
  });

  it('200: says why clouds refuse the issuer of one machine', async () => {
    const { request } = await startApi({ role: 'viewer' });
    expect(await (await request('/v1/cloud-identity')).json()).toMatchObject({
      reachable: false,
      findings: [
        { message: expect.stringContaining('https') },
        { message: expect.stringContaining('localhost is not a public host') },
        { message: expect.stringContaining('8080') },
      ],
    });
  });
});

describe('getOpenIdConfiguration', () => {
  it('200: for strangers and caches', async () => {
    const { request } = await startApi({ role: 'anonymous', config: { publicUrl } });
    const response = await request(discoveryPath);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await response.json()).toMatchObject({ issuer, jwks_uri: `${issuer}/jwks` });
  });

  it('200: names the configured issuer, not that of the Host header', async () => {
    const { request } = await startApi({ role: 'anonymous', config: { publicUrl } });
    const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' };
    const text = await (await request(discoveryPath, { headers })).text();
    expect(text).toContain(issuer);
    expect(text).not.toContain('evil.example');
  });

  it('200: is where the issuer says it is', async () => {
    const { issuer: served } = await startWithCloud();
    const response = await fetch(`${served}/.well-known/openid-configuration`);
    expect(await response.json()).toMatchObject({ issuer: served });
  });
});

describe('getCloudKeys', () => {
  it('200: shows strangers the public half of the key alone, with which tokens verify', async () => {
    const { request, store } = await startApi({ role: 'anonymous', config: { publicUrl } });
    const response = await request('/v1/cloud-identity/oidc/jwks');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    const { keys } = (await response.json()) as JSONWebKeySet;
    expect(keys.map((key) => Object.keys(key).toSorted())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']]);
    const identity = createCloudIdentity(store, { issuer, now: () => new Date() });
    const token = await identity.signToken({ org: 'acme', audience: 'sts.amazonaws.com' });
    const verified = await jwtVerify(token, createLocalJWKSet({ keys }), { issuer, audience: 'sts.amazonaws.com' });
    expect(verified.protectedHeader).toEqual({ alg: 'RS256', kid: keys[0]?.kid, typ: 'JWT' });
    expect(verified.payload.sub).toBe('org:acme');
  });
});
