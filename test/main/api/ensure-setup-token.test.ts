import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureSetupToken } from '../../../src/main/api/ensure-setup-token.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { UserKind } from '../../../src/rules/access/kinds.ts';
import { rootUserRef, setupTokenRef } from '../../../src/rules/installation/setup-objects.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const userRef = { namespace: 'service-system', name: 'root' };

async function openInstallation() {
  const store = openTestStore();
  const file = join(await createScratchFolder(), 'setup-token');
  const startCreation = async () =>
    await store.create(ConfigMapKind, { metadata: rootUserRef, data: { user: userRef.name } });
  const createUser = async () =>
    await store.create(UserKind, { metadata: userRef, spec: { email: 'root@example.com', platformAdmin: true } });
  return { store, file, startCreation, createUser };
}

describe('ensureSetupToken', () => {
  it('writes the same token for every process', async () => {
    const store = openTestStore();
    const folder = await createScratchFolder();
    const files = ['one', 'other'].map((name) => join(folder, name));
    const tokens = await Promise.all(files.map(async (file) => await ensureSetupToken(store, file)));
    const [one, other] = await Promise.all(files.map(async (file) => await readFile(file, 'utf8')));
    expect(one).toMatch(/^[\w-]{32}\n$/);
    expect(other).toBe(one);
    expect(tokens).toEqual([one?.trim(), one?.trim()]);
  });

  it('keeps the token of a creation of the root user that was interrupted', async () => {
    const { store, file, startCreation } = await openInstallation();
    const token = await ensureSetupToken(store, file);
    await startCreation();
    expect(await ensureSetupToken(store, file)).toBe(token);
    expect(await readFile(file, 'utf8')).toBe(`${token}\n`);
  });

  it('deletes the token of an installation that has a root user', async () => {
    const { store, file, startCreation, createUser } = await openInstallation();
    await ensureSetupToken(store, file);
    await startCreation();
    await createUser();
    expect(await ensureSetupToken(store, file)).toBeUndefined();
    expect([await store.find(SecretKind, setupTokenRef), existsSync(file)]).toEqual([undefined, false]);
  });

  it('creates no token for an installation whose root user was removed', async () => {
    const { store, file, startCreation, createUser } = await openInstallation();
    await ensureSetupToken(store, file);
    await startCreation();
    await createUser();
    await ensureSetupToken(store, file);
    await store.delete(UserKind, userRef);
    expect(await ensureSetupToken(store, file)).toBeUndefined();
    expect([await store.find(SecretKind, setupTokenRef), existsSync(file)]).toEqual([undefined, false]);
  });
});
