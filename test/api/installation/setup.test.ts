import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { rootUserRef, setupTokenRef } from '../../../src/rules/installation/setup-objects.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { startApi } from '../../support/start-api.ts';

const credentials = { email: 'Root@example.com', password: 'a long enough password' };

async function startFreshInstallation(config: { setupTokenFile?: string } = {}) {
  const api = await startApi({ role: 'anonymous', config });
  const token = Buffer.from('the-setup-token').toString('base64');
  await api.store.create(SecretKind, {
    metadata: setupTokenRef,
    data: { token },
  });
  const createRootUser = async (body: unknown, setupToken = 'the-setup-token') =>
    api.request('/v1/setup/root-user', {
      method: 'POST',
      body,
      headers: { 'X-Service-Setup-Token': setupToken },
    });
  return { ...api, createRootUser };
}

describe('createRootUser', () => {
  it('201: creates a platform admin who can sign in', async () => {
    const { request, createRootUser } = await startFreshInstallation();
    expect(await (await request('/v1/setup')).json()).toEqual({ rootUser: false });
    expect((await createRootUser(credentials)).status).toBe(201);
    expect(await (await request('/v1/setup')).json()).toEqual({ rootUser: true });
    const signedIn = await request('/v1/auth/sign-in', { method: 'POST', body: credentials });
    expect(await signedIn.json()).toMatchObject({ email: 'root@example.com', platformAdmin: true });
  });

  it('201: deletes the setup token and its file, so that nothing brings a removed root user back', async () => {
    const file = join(await createScratchFolder(), 'setup-token');
    await writeFile(file, 'the-setup-token');
    const { store, createRootUser } = await startFreshInstallation({ setupTokenFile: file });
    expect((await createRootUser(credentials)).status).toBe(201);
    expect([await store.find(SecretKind, setupTokenRef), existsSync(file)]).toEqual([undefined, false]);
    await store.delete(UserKind, { namespace: systemNamespace, name: userName(credentials.email) });
    const again = await createRootUser({ ...credentials, password: 'the password of a thief' });
    expect(again.status).toBe(409);
    expect(await store.list(UserKind, { namespace: systemNamespace })).toMatchObject({ items: [] });
  });

  it('201: needs no file with the setup token', async () => {
    const file = join(await createScratchFolder(), 'setup-token');
    const { createRootUser } = await startFreshInstallation({ setupTokenFile: file });
    expect((await createRootUser(credentials)).status).toBe(201);
  });

  it('409: says that the root user exists, also with a wrong setup token', async () => {
    const { createRootUser } = await startFreshInstallation();
    await createRootUser(credentials);
    const response = await createRootUser(credentials, 'the-setup-tokeN');
    expect(await response.json()).toMatchObject({ status: 409, reason: 'already-exists' });
  });

  it('401: rejects a wrong setup token', async () => {
    const { createRootUser } = await startFreshInstallation();
    expect((await createRootUser(credentials, 'the-setup-tokeN')).status).toBe(401);
  });

  it('409: creates one root user, whichever address a second request has', async () => {
    const { createRootUser } = await startFreshInstallation();
    const both = await Promise.all([
      createRootUser(credentials),
      createRootUser({ ...credentials, email: 'other@example.com' }),
    ]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
    expect((await createRootUser(credentials)).status).toBe(409);
  });

  it('201: completes a request that failed half way; 409: only for the same address', async () => {
    const { request, store, createRootUser } = await startFreshInstallation();
    const data = { user: userName(credentials.email) };
    await store.create(ConfigMapKind, { metadata: rootUserRef, data });
    expect(await (await request('/v1/setup')).json()).toEqual({ rootUser: false });
    const other = await createRootUser({ ...credentials, email: 'other@example.com' });
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ detail: expect.stringContaining('Send that address again') });
    expect((await createRootUser(credentials)).status).toBe(201);
  });

  it('422: rejects a password with fewer than twelve characters', async () => {
    const { createRootUser } = await startFreshInstallation();
    const response = await createRootUser({ ...credentials, password: 'elevenchars' });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/password' }] });
  });
});

describe('getSetup', () => {
  it('200: returns whether the root user was created', async () => {
    const { request, createRootUser } = await startFreshInstallation();
    expect(await (await request('/v1/setup')).json()).toEqual({ rootUser: false });
    await createRootUser(credentials);
    expect(await (await request('/v1/setup')).json()).toEqual({ rootUser: true });
  });

  it('200: offers no setup again once the root user was removed, because the others sign in', async () => {
    const { request, store, createRootUser } = await startFreshInstallation();
    await createRootUser(credentials);
    await store.delete(UserKind, { namespace: systemNamespace, name: userName(credentials.email) });
    expect(await (await request('/v1/setup')).json()).toEqual({ rootUser: true });
  });
});
