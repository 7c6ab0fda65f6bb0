import { type Client, ServiceError as TemporalError } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { deriveArchiveKeys } from '../../../src/integrations/backups/recovery-key.ts';
import { ConfigMapKind, readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { BackupKind, RestoreKind, type RestoreStatus } from '../../../src/rules/backups/kinds.ts';
import { backupKeySecret, toRestoreSecretRef } from '../../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { makePlatformAdmin } from '../../clients/ui/settings-fixture.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { startApiWithUser } from '../auth/session-fixture.ts';

const backup = 'backup-20260101120000-1a2b3c4d';
const at = '2026-01-01T12:00:00.000Z';

/**
 * Starts an API with the session of a platform admin; `isBusy` makes the server refuse a second workflow, and `isLost`
 * loses its response to a start.
 */
async function startApi() {
  const state = { isBusy: false, isLost: false, signals: [] as string[] };
  const { temporal, starts } = captureStarts();
  const workflow = {
    start: async (type: string, options: { workflowId: string }) => {
      if (state.isBusy) throw new WorkflowExecutionAlreadyStartedError('running', options.workflowId, type);
      starts.push({ type, options });
      if (state.isLost) throw new TemporalError('The deadline is exceeded.');
    },
    getHandle: (workflowId: string) => ({ signal: async () => void state.signals.push(workflowId) }),
  };
  const client = { withDeadline: temporal.withDeadline, workflow } as unknown as Client;
  const api = await startApiWithUser(() => new Date(at), {}, client);
  await makePlatformAdmin(api.store, 'jo@example.com');
  const send = async (method: string, path: string, body?: unknown) =>
    await api.requestWithSession(`/v1/backup${path}`, { method, ...(body !== undefined && { body }) });
  const createKey = async () => (await (await send('PUT', '/key')).json()) as { recoveryKey: string; key: string };
  const createRestore = async (status: Partial<RestoreStatus> = {}) => {
    const ref = { namespace: systemNamespace, name: 'restore-1' };
    await api.store.create(RestoreKind, { metadata: ref, spec: { startedBy: 'jo@example.com', backup } });
    await api.store.updateStatus(RestoreKind, ref, () => ({ phase: 'Ready' as const, startedAt: at, plan, ...status }));
    return async () => (await api.store.get(RestoreKind, ref)).status;
  };
  return { ...api, state, starts, send, createKey, createRestore };
}

const plan = {
  digest: 'd1',
  createdAt: at,
  version: 'v1',
  orgs: ['acme'],
  contents: { resources: 1, blobs: 0 },
  existing: 0,
};

describe.each([
  ['putBackupKey', 'PUT', '/key', undefined],
  ['putBackupSettings', 'PUT', '/settings', { keepLast: 3 }],
  ['createBackup', 'POST', '/backups', undefined],
  ['createRestore', 'POST', '/restores', { backup, recoveryKey: 'AGE-SECRET-KEY-1' }],
  ['startRestore', 'POST', '/restores/restore-1/start', { digest: 'd1' }],
])('%s', (_, method, path, body) => {
  it('403: requires a browser session with a password, not a token', async () => {
    const { request } = await startApi();
    const response = await request(`/v1/backup${path}`, { method, ...(body && { body }) });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ reason: 'password-session-required' });
  });
});

describe('putBackupKey', () => {
  it('200: shows a new recovery key once, and keeps only what cannot decrypt', async () => {
    const { send, store, createKey } = await startApi();
    const first = await createKey();
    const stored = await store.get(SecretKind, backupKeySecret);
    const keys = await deriveArchiveKeys(first.recoveryKey);
    expect(readSecretText(stored, 'recipient')).toBe(first.key);
    expect(keys.recipient).toBe(first.key);
    expect(readSecretText(stored, 'seal')).toBe(Buffer.from(keys.seal).toString('base64'));
    const objects = [...(await store.list(SecretKind)).items, ...(await store.list(ConfigMapKind)).items];
    const decode = (text: string): string => Buffer.from(text, 'base64').toString();
    const texts = objects.flatMap(({ data = {} }) => Object.values(data).flatMap((text) => [text, decode(text)]));
    expect(texts.join(' ')).not.toContain(first.recoveryKey);
    const second = await send('PUT', '/key');
    expect(second.headers.get('Cache-Control')).toBe('no-store');
    expect(await second.json()).not.toMatchObject({ key: first.key });
  });
});

describe('createBackup', () => {
  it('202: starts the workflow and shows the backup', async () => {
    const { send, starts, store, createKey } = await startApi();
    await createKey();
    const response = await send('POST', '/backups');
    expect(response.status).toBe(202);
    const view = (await response.json()) as { name: string };
    expect(view).toMatchObject({
      name: expect.stringMatching(/^backup-20260101120000-[0-9a-f]{8}$/),
      startedBy: 'jo@example.com',
      status: { phase: 'Running' },
    });
    expect(starts).toMatchObject([
      {
        type: 'backUp',
        options: { workflowId: 'back-up', args: [{ backup: view.name, startedBy: 'jo@example.com' }] },
      },
    ]);
    expect(await store.list(BackupKind)).toMatchObject({ items: [{ metadata: { name: view.name } }] });
  });

  it('409: requires a recovery key, and one backup at a time', async () => {
    const { send, state, store, createKey } = await startApi();
    expect(await (await send('POST', '/backups')).json()).toMatchObject({ status: 409, reason: 'backup-key-missing' });
    await createKey();
    state.isBusy = true;
    expect(await (await send('POST', '/backups')).json()).toMatchObject({ status: 409, reason: 'backup-in-progress' });
    expect((await store.list(BackupKind)).items).toEqual([]);
  });

  it('503: keeps the backup, which the workflow may be writing', async () => {
    const { send, state, starts, createKey } = await startApi();
    await createKey();
    state.isLost = true;
    expect(await (await send('POST', '/backups')).json()).toMatchObject({
      status: 503,
      reason: 'workflow-not-responding',
      detail: expect.stringContaining('Read the resource again'),
    });
    const [start] = starts as { options: { args: [{ backup: string }] } }[];
    expect((await send('GET', `/backups/${start?.options.args[0].backup}`)).status).toBe(200);
  });
});

describe('listBackups', () => {
  it('200: lists backups with their state', async () => {
    const { send, createKey } = await startApi();
    await createKey();
    await send('POST', '/backups');
    expect(await (await send('GET', '/backups')).json()).toMatchObject({ items: [{ status: { phase: 'Running' } }] });
  });
});

describe('getBackup', () => {
  it('200: shows one backup; 404: says which does not exist', async () => {
    const { send, store } = await startApi();
    await store.create(BackupKind, {
      metadata: { namespace: systemNamespace, name: backup },
      spec: { startedBy: 'jo@example.com' },
    });
    expect(await (await send('GET', `/backups/${backup}`)).json()).toMatchObject({ name: backup });
    const missing = await send('GET', '/backups/other');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ detail: 'No backup named "other" in the installation.' });
  });
});

describe('listArchives', () => {
  it('200: lists the archives of the destination, newest first, and nothing else', async () => {
    const { send, backups } = await startApi();
    const newer = 'backup-20260201120000-1a2b3c4d';
    for (const key of [`${backup}/000001.age`, `${newer}/000001.age`, `${newer}/000002.age`, 'backup-of-a-person/x'])
      await backups.put(key, Buffer.from('x'));
    expect(await (await send('GET', '/archives')).json()).toEqual({ items: [{ name: newer }, { name: backup }] });
  });

  it('200: leaves out the archives of backups that are not complete', async () => {
    const { send, backups, store } = await startApi();
    const [running, interrupted] = ['backup-20260401120000-1a2b3c4d', 'backup-20260301120000-1a2b3c4d'];
    for (const name of [running, interrupted, backup]) {
      const ref = { namespace: systemNamespace, name };
      await store.create(BackupKind, { metadata: ref, spec: { startedBy: 'jo@example.com' } });
      await backups.put(`${name}/000001.age`, Buffer.from('x'));
      await store.updateStatus(BackupKind, ref, () => ({
        phase: name === running ? ('Running' as const) : ('Failed' as const),
        startedAt: at,
        // A complete archive stays of use when the deletion of older ones fails.
        ...(name === backup && { sha256: 'c0ffee' }),
      }));
    }
    expect(await (await send('GET', '/archives')).json()).toEqual({ items: [{ name: backup }] });
  });
});

describe('createRestore', () => {
  it('202: starts the check, with the recovery key in no history and no view', async () => {
    const { send, starts, store, createKey } = await startApi();
    const { recoveryKey } = await createKey();
    const response = await send('POST', '/restores', { backup, recoveryKey });
    expect(response.status).toBe(202);
    const text = await response.text();
    const view = JSON.parse(text) as { name: string };
    expect(view).toMatchObject({ backup, status: { phase: 'Checking' } });
    expect(starts).toMatchObject([
      { type: 'restoreBackup', options: { workflowId: 'restore-backup', args: [{ restore: view.name }] } },
    ]);
    expect(text + JSON.stringify(starts) + JSON.stringify(await store.list(RestoreKind))).not.toContain(recoveryKey);
    const secret = await store.get(SecretKind, toRestoreSecretRef(view.name));
    expect(readSecretText(secret, 'recoveryKey')).toBe(recoveryKey);
    expect(readSecretText(secret, 'expires')).toBe('2026-01-02T12:00:00.000Z');
  });

  it('409: allows one restore at a time, and leaves no key behind', async () => {
    const { send, state, store, createKey } = await startApi();
    const { recoveryKey } = await createKey();
    state.isBusy = true;
    const response = await send('POST', '/restores', { backup, recoveryKey });
    expect(await response.json()).toMatchObject({ status: 409, reason: 'restore-in-progress' });
    expect((await store.list(RestoreKind)).items).toEqual([]);
    const names = (await store.list(SecretKind)).items.map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.startsWith('service-restore-'))).toEqual([]);
  });

  it('503: keeps the restore and its key, which the workflow may be reading', async () => {
    const { send, state, starts, store, createKey } = await startApi();
    const { recoveryKey } = await createKey();
    state.isLost = true;
    expect((await send('POST', '/restores', { backup, recoveryKey })).status).toBe(503);
    const [start] = starts as { options: { args: [{ restore: string }] } }[];
    const restore = start?.options.args[0].restore ?? '';
    expect(await (await send('GET', `/restores/${restore}`)).json()).toMatchObject({ status: { phase: 'Checking' } });
    expect(readSecretText(await store.find(SecretKind, toRestoreSecretRef(restore)), 'recoveryKey')).toBe(recoveryKey);
  });

  it('422: refuses what is no recovery key without repeating it, and names that leave the destination', async () => {
    const { send } = await startApi();
    const response = await send('POST', '/restores', { backup, recoveryKey: 'AGE-SECRET-KEY-1WRONG' });
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      status: 422,
      reason: 'recovery-key-wrong',
      errors: [{ pointer: '/recoveryKey' }],
    });
    expect(text).not.toContain('1WRONG');
    for (const name of ['../backup-20260101120000-1a2b3c4d', 'backup-1', '', `${backup}/..`]) {
      const refused = await send('POST', '/restores', { backup: name, recoveryKey: 'x' });
      expect(await refused.json()).toMatchObject({ status: 422, errors: [{ pointer: '/backup' }] });
    }
  });
});

describe('listRestores', () => {
  it('200: lists restores with their plans, without the digests of parts', async () => {
    const { send, createRestore } = await startApi();
    await createRestore({ partDigests: ['secretly long'] });
    const text = await (await send('GET', '/restores')).text();
    expect(JSON.parse(text)).toMatchObject({ items: [{ status: { phase: 'Ready', plan } }] });
    expect(text).not.toContain('secretly long');
  });
});

describe('getRestore', () => {
  it('200: shows the plan; 404: says which does not exist', async () => {
    const { send, createRestore } = await startApi();
    await createRestore();
    expect(await (await send('GET', '/restores/restore-1')).json()).toMatchObject({ backup, status: { plan } });
    expect((await send('GET', '/restores/other')).status).toBe(404);
  });
});

describe('startRestore', () => {
  it('202: records who confirmed which plan, and tells the workflow', async () => {
    const { send, state, createRestore } = await startApi();
    const readStatus = await createRestore();
    const response = await send('POST', '/restores/restore-1/start', { digest: 'd1' });
    expect(response.status).toBe(202);
    expect(await readStatus()).toMatchObject({ confirmed: { by: 'jo@example.com', digest: 'd1', at } });
    expect(state.signals).toEqual(['restore-backup']);
  });

  it('409: refuses another plan than the current one, and a restore that does not wait', async () => {
    const { send, state, createRestore } = await startApi();
    const readStatus = await createRestore();
    const refused = await send('POST', '/restores/restore-1/start', { digest: 'other' });
    expect(await refused.json()).toMatchObject({ status: 409, reason: 'restore-not-ready' });
    expect(await readStatus()).not.toHaveProperty('confirmed');
    const finished = await startApi();
    await finished.createRestore({ phase: 'Succeeded' });
    const repeated = await finished.send('POST', '/restores/restore-1/start', { digest: 'd1' });
    expect(await repeated.json()).toMatchObject({ status: 409, reason: 'restore-not-ready' });
    expect(state.signals).toEqual([]);
  });

  it('404: says which restore does not exist', async () => {
    const { send } = await startApi();
    expect((await send('POST', '/restores/other/start', { digest: 'd1' })).status).toBe(404);
  });
});

describe('a restore in progress', () => {
  it.each(['Restoring', 'Restarting'] as const)('409: locks every other change out while it is %s', async (phase) => {
    const { request, requestWithSession, send, createRestore } = await startApi();
    await createRestore({ phase });
    const role = 'platform-admin';
    const product = { name: 'shop', spec: { repos: ['acme/shop'] } };
    const locked = await request('/v1/orgs/acme/products', { method: 'POST', body: product, role });
    expect(locked.status).toBe(409);
    expect(await locked.json()).toMatchObject({ reason: 'restore-in-progress' });
    const password = await request('/v1/access/users', {
      method: 'POST',
      via: 'session',
      body: { email: 'x@example.com', password: 'a long enough password' },
      role,
    });
    expect(password.status).toBe(409);
    expect((await request('/v1/orgs', { role })).status).toBe(200);
    expect((await send('GET', '/restores/restore-1')).status).toBe(200);
    expect((await requestWithSession('/v1/auth/sign-out', { method: 'POST' })).status).toBe(204);
  });

  it.each(['Checking', 'Ready', 'Succeeded', 'Failed'] as const)('locks nothing while it is %s', async (phase) => {
    const { request, createRestore } = await startApi();
    await createRestore({ phase });
    const user = { email: 'x@example.com', password: 'a long enough password' };
    expect(
      (await request('/v1/access/users', { method: 'POST', via: 'session', body: user, role: 'platform-admin' }))
        .status,
    ).toBe(201);
  });
});
