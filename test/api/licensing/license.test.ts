import { describe, expect, it } from 'vitest';
import { SecretKind, readSecretText, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { makePlatformAdmin } from '../../clients/ui/settings-fixture.ts';
import { startApiWithUser } from '../auth/session-fixture.ts';
import { issue, issuedAt, vendorKey } from '../../rules/licensing/license-fixture.ts';

const ref = { namespace: 'service-system', name: 'service-license' };

async function startApi() {
  let now = issuedAt;
  const api = await startApiWithUser(() => now, { licenseKeys: [vendorKey] });
  await makePlatformAdmin(api.store, 'jo@example.com');
  const put = async (license: unknown) =>
    await api.requestWithSession('/v1/license', { method: 'PUT', body: { license } });
  const read = async () => (await (await api.request('/v1/license', { role: 'no-role' })).json()) as object;
  const stored = async () => readSecretText(await api.store.find(SecretKind, ref), 'license');
  return { ...api, put, read, stored, travel: (to: string) => void (now = new Date(to)) };
}

describe('getLicense', () => {
  it('200: tells any user the state and the terms, and never the license', async () => {
    const { read, store, travel } = await startApi();
    expect(await read()).toMatchObject({ state: 'evaluation' });
    const license = issue({ days: '60', orgs: '3' });
    await store.create(SecretKind, { metadata: ref, type: 'Opaque', data: toSecretData({ license: `${license}\n` }) });
    expect(await read()).toEqual({
      state: 'licensed',
      message: expect.any(String),
      id: 'lic-1',
      customer: 'Tidewater',
      plan: 'team',
      issuedAt: '2026-11-01T00:00:00.000Z',
      expiresAt: '2026-12-31T00:00:00.000Z',
      orgsMax: 3,
      actions: [expect.objectContaining({ name: 'putLicense', allowed: false }), expect.any(Object)],
    });
    travel('2027-01-01T00:00:00Z');
    expect(await read()).toMatchObject({ state: 'expired' });
  });

  it('200: says why an entry that was written by hand is invalid, and recovers when it is deleted', async () => {
    const { read, store } = await startApi();
    await store.create(SecretKind, { metadata: ref, type: 'Opaque', data: toSecretData({ license: 'lic1.x' }) });
    expect(await read()).toMatchObject({ state: 'invalid', message: expect.stringContaining('not complete') });
    await store.delete(SecretKind, ref);
    expect(await read()).toMatchObject({ state: 'evaluation' });
  });

  it('401: requires a user', async () => {
    const { request } = await startApi();
    expect((await request('/v1/license', { role: 'anonymous' })).status).toBe(401);
  });
});

describe('putLicense', () => {
  it('200: installs a license and replaces it, also by one that has expired', async () => {
    const { put, stored } = await startApi();
    const first = await put(`  ${issue()}\n`);
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({ state: 'licensed', actions: [{ allowed: true }, { allowed: true }] });
    expect(await stored()).toBe(issue());
    const expired = issue({ days: '1' }, new Date('2026-10-30T00:00:00Z'));
    expect(await (await put(expired)).json()).toMatchObject({ state: 'expired' });
    expect(await stored()).toBe(expired);
  });

  it('422: refuses a license that does not verify, says why at the field, and keeps the one that is installed', async () => {
    const { put, stored } = await startApi();
    await put(issue());
    const refused = await put(issue({ days: '1' }).slice(0, -1));
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      reason: 'invalid-license',
      errors: [{ pointer: '/license', detail: expect.stringContaining('Copy the whole line') }],
    });
    expect((await put('lic1.'.padEnd(9000, 'x'))).status).toBe(422);
    expect(await stored()).toBe(issue());
  });

  it('403: requires a platform admin who signed in to a browser with a password', async () => {
    const { request, requestWithSession, stored, store, put } = await startApi();
    const init = { method: 'PUT', body: { license: issue() } };
    const byToken = await request('/v1/license', { ...init, role: 'platform-admin' });
    expect([byToken.status, await byToken.json()]).toEqual([
      403,
      expect.objectContaining({ reason: 'password-session-required' }),
    ]);
    expect((await request('/v1/license', { ...init, role: 'org-admin' })).status).toBe(403);
    const elsewhere = { ...init, headers: { Origin: 'https://evil.example' } };
    expect((await requestWithSession('/v1/license', elsewhere)).status).toBe(403);
    expect(await stored()).toBeUndefined();
    expect((await put(issue())).status).toBe(200);
    const user = await store.get(UserKind, { namespace: 'service-system', name: userName('jo@example.com') });
    await store.replace(UserKind, { ...user, spec: { ...user.spec, platformAdmin: false } });
    expect((await put(issue())).status).toBe(403);
  });
});

describe('deleteLicense', () => {
  it('204: returns to the evaluation; 403: a token cannot', async () => {
    const { put, read, request, requestWithSession } = await startApi();
    await put(issue());
    expect((await request('/v1/license', { method: 'DELETE', role: 'platform-admin' })).status).toBe(403);
    expect(await read()).toMatchObject({ state: 'licensed' });
    for (const time of ['first', 'second'])
      expect((await requestWithSession('/v1/license', { method: 'DELETE' })).status, time).toBe(204);
    expect(await read()).toMatchObject({ state: 'evaluation' });
  });

  it('204: for two requests at once', async () => {
    const { put, requestWithSession } = await startApi();
    await put(issue());
    const remove = async () => (await requestWithSession('/v1/license', { method: 'DELETE' })).status;
    expect(await Promise.all([remove(), remove()])).toEqual([204, 204]);
  });
});
