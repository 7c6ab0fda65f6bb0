import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { startApiWithUser } from '../auth/session-fixture.ts';

type Codes = { device_code: string; user_code: string; interval: number };

async function startDevice(scope?: string) {
  let now = new Date('2027-01-01T00:00:00.000Z');
  const api = await startApiWithUser(() => now);
  const postForm = async (path: string, form: Record<string, string>) =>
    await api.app.request(`/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
  const started = await postForm('/v1/auth/device', { client_id: 'svc', ...(scope !== undefined && { scope }) });
  const codes = (await started.json()) as Codes;
  const redeem = async (code = codes.device_code) => {
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    const response = await postForm('/v1/auth/device/token', { grant_type, device_code: code });
    const body = (await response.json()) as { access_token?: string; error?: string };
    return { status: response.status, ...body };
  };
  const path = `/v1/me/device-sign-ins/${codes.user_code}`;
  const decide = async (decision: 'approve' | 'deny', body?: object) =>
    await api.requestWithSession(`${path}/${decision}`, { method: 'POST', ...(body && { body }) });
  const passSeconds = (seconds: number) => void (now = new Date(now.getTime() + seconds * 1000));
  return { ...api, postForm, started, codes, redeem, path, decide, passSeconds };
}

describe('startDeviceSignIn', () => {
  it('200: returns the codes and the page, and stores neither code', async () => {
    const { started, codes, store } = await startDevice();
    expect(started.status).toBe(200);
    expect(started.headers.get('cache-control')).toBe('no-store');
    expect(codes).toEqual({
      device_code: expect.stringMatching(/^device-sign-in-[0-9a-f]{40}\.[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'http://localhost:8080/device',
      verification_uri_complete: `http://localhost:8080/device?code=${codes.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    const stored = JSON.stringify(
      (await store.list(SecretKind)).items.map(({ data }) => Object.values(data ?? {}).map((value) => atob(value))),
    );
    expect(stored).toContain('svc');
    expect(stored).not.toContain(codes.user_code);
    expect(stored).not.toContain(codes.device_code.split('.')[1]);
  });

  it('400: knows roles as scopes only', async () => {
    const { started } = await startDevice('platform-admin');
    expect(started.status).toBe(400);
    expect(await startDevice('').then((device) => device.started.status)).toBe(200);
  });

  it('422: refuses a tool whose name looks like another one', async () => {
    const { postForm } = await startDevice();
    expect((await postForm('/v1/auth/device', { client_id: 'cvs\u202e' })).status).toBe(422);
  });

  it('429: limits the tools of one address', async () => {
    const { postForm } = await startDevice();
    const statuses = await Promise.all(
      Array.from({ length: 31 }, async () => (await postForm('/v1/auth/device', { client_id: 'svc' })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(29);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  });
});

describe('redeemDeviceCode', () => {
  it('200: returns a token of the person who approved, once', async () => {
    const { redeem, decide, passSeconds, request } = await startDevice('viewer');
    expect(await redeem()).toMatchObject({ status: 400, error: 'authorization_pending' });
    expect(await redeem()).toMatchObject({ status: 400, error: 'slow_down' });
    passSeconds(5);
    expect(await redeem()).toMatchObject({ status: 400, error: 'authorization_pending' });
    expect((await decide('approve', {})).status).toBe(204);
    const issued = await redeem();
    expect(issued).toMatchObject({
      status: 200,
      token_type: 'Bearer',
      scope: 'viewer',
      expires_in: 90 * 86_400 - 5 + 5,
    });
    const headers = { Authorization: `Bearer ${issued.access_token}` };
    expect(await (await request('/v1/me', { role: 'anonymous', headers })).json()).toMatchObject({
      email: 'jo@example.com',
      via: 'token',
      roleMax: 'viewer',
    });
    expect(await redeem()).toMatchObject({ status: 400, error: 'expired_token' });
  });

  it('issues one token to requests at once', async () => {
    const { redeem, decide, store } = await startDevice();
    await decide('approve', {});
    const results = await Promise.all(Array.from({ length: 5 }, async () => await redeem()));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
    const { items } = await store.list(ApiTokenKind, { fields: { 'spec.use': 'token' } });
    expect(items.filter(({ spec }) => spec.label === 'svc')).toHaveLength(1);
  });

  it('400: needs the whole code', async () => {
    const { redeem, codes, decide } = await startDevice();
    await decide('approve', {});
    const [name] = codes.device_code.split('.');
    expect(await redeem(`${name}.${'A'.repeat(43)}`)).toMatchObject({ status: 400, error: 'expired_token' });
    expect(await redeem(`${name}`)).toMatchObject({ status: 400, error: 'expired_token' });
    expect(await redeem()).toMatchObject({ status: 200 });
  });

  it('is what a client of RFC 8628 expects', async () => {
    const { app, decide: _, requestWithSession } = await startDevice();
    const issuer = 'http://localhost:8080/api/v1/auth';
    const metadata = {
      issuer,
      device_authorization_endpoint: `${issuer}/device`,
      token_endpoint: `${issuer}/device/token`,
    };
    const client = new openid.Configuration(metadata, 'svc', undefined, openid.None());
    openid.allowInsecureRequests(client);
    client[openid.customFetch] = async (url, options) =>
      await app.request(new URL(url).pathname, options as RequestInit);
    const codes = await openid.initiateDeviceAuthorization(client, { scope: 'member' });
    const approve = { method: 'POST', body: {} };
    expect((await requestWithSession(`/v1/me/device-sign-ins/${codes.user_code}/approve`, approve)).status).toBe(204);
    const tokens = await openid.pollDeviceAuthorizationGrant(client, { ...codes, interval: 0.01 });
    expect(tokens).toMatchObject({
      token_type: 'bearer',
      scope: 'member',
      access_token: expect.stringMatching(/^svc_/),
    });
  });
});

describe('getDeviceSignIn', () => {
  it('200: shows what asks, however the code is typed', async () => {
    const { requestWithSession, codes } = await startDevice('member');
    const typed = codes.user_code.toLowerCase().replace('-', '');
    expect(await (await requestWithSession(`/v1/me/device-sign-ins/${typed}`)).json()).toMatchObject({
      client: 'svc',
      roleMax: 'member',
      createdAt: '2027-01-01T00:00:00.000Z',
      expiresAt: '2027-01-01T00:10:00.000Z',
    });
  });

  it('404: knows neither unknown codes nor those that have expired', async () => {
    const { requestWithSession, path, passSeconds, redeem } = await startDevice();
    expect((await requestWithSession('/v1/me/device-sign-ins/BBBB-BBBB')).status).toBe(404);
    expect((await requestWithSession('/v1/me/device-sign-ins/nonsense')).status).toBe(404);
    passSeconds(600);
    expect((await requestWithSession(path)).status).toBe(404);
    expect(await redeem()).toMatchObject({ status: 400, error: 'expired_token' });
  });

  it('403: needs a browser session', async () => {
    const { request, path } = await startDevice();
    for (const [method, suffix] of [
      ['GET', ''],
      ['POST', '/approve'],
      ['POST', '/deny'],
    ] as const) {
      const body = suffix === '/approve' ? { body: {} } : {};
      const response = await request(`${path}${suffix}`, { method, role: 'member', ...body });
      expect(await response.json()).toMatchObject({ status: 403, reason: 'session-required' });
    }
  });
});

describe('approveDeviceSignIn', () => {
  it('204: gives the role and the time that the person chose', async () => {
    const { redeem, decide } = await startDevice('org-admin');
    await decide('approve', { roleMax: 'viewer', expiresAt: '2027-01-02T00:00:00Z' });
    expect(await redeem()).toMatchObject({ status: 200, scope: 'viewer', expires_in: 86_400 });
  });

  it('404: decides once', async () => {
    const { decide } = await startDevice();
    expect((await decide('approve', {})).status).toBe(204);
    expect((await decide('deny')).status).toBe(404);
  });

  it('422: gives no token that outlives those of the installation', async () => {
    const { decide } = await startDevice();
    expect((await decide('approve', { expiresAt: '2037-01-02T00:00:00Z' })).status).toBe(422);
  });
});

describe('denyDeviceSignIn', () => {
  it('204: the tool gets no token', async () => {
    const { redeem, decide } = await startDevice();
    expect((await decide('deny')).status).toBe(204);
    expect(await redeem()).toMatchObject({ status: 400, error: 'access_denied' });
  });
});
