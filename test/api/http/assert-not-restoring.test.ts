import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { ApiEnv } from '../../../api/deps.ts';
import { assertNotRestoring, isLockedByRestore } from '../../../api/http/assert-not-restoring.ts';
import { RestoreKind, restorePhases } from '../../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it.each([
  ['a change', { method: 'post' as const, path: '/v1/orgs', security: [{ bearer: [] }] }, true],
  ['a webhook', { method: 'post' as const, path: '/v1/orgs/{org}/alerts', tags: ['Alerts', 'Webhooks'] }, true],
  ['a read', { method: 'get' as const, path: '/v1/orgs', security: [{ bearer: [] }] }, false],
  ['an open operation', { method: 'post' as const, path: '/v1/status', tags: ['Status'] }, false],
  ['a backup', { method: 'put' as const, path: '/v1/backup/key', security: [{ bearer: [] }] }, false],
  ['a sign-in', { method: 'post' as const, path: '/v1/auth/sign-out', security: [{ bearer: [] }] }, false],
  [
    'an operation with such a path below',
    { method: 'post' as const, path: '/v1/orgs/v1/auth/', security: [{ a: [] }] },
    true,
  ],
])('decides whether a restore locks %s', (_, route, isLocked) => {
  expect(isLockedByRestore({ responses: {}, ...route })).toBe(isLocked);
});

it.each(restorePhases)('rejects changes while a restore writes: %s', async (phase) => {
  const store = openTestStore();
  const app = new Hono<ApiEnv>()
    .onError((error, c) => c.text(error.message, 409))
    .post('/', assertNotRestoring({ store }), (c) => c.text('changed'));
  const change = async () => await (await app.request('/', { method: 'POST' })).text();
  expect(await change()).toBe('changed');
  for (const [name, own] of [
    ['restore-1', 'Succeeded'],
    ['restore-2', phase],
  ] as const) {
    const { metadata } = await store.create(RestoreKind, {
      metadata: { namespace: systemNamespace, name },
      spec: { startedBy: 'ada@example.com', backup: 'backup-20260101120000-1a2b3c4d' },
    });
    await store.updateStatus(RestoreKind, metadata, () => ({
      phase: own,
      startedAt: '2026-01-01T12:00:00.000Z',
      conditions: [],
    }));
  }
  expect(await change()).toMatch(
    ['Restoring', 'Restarting'].includes(phase) ? /^The restore "restore-2" is in progress/ : /^changed$/,
  );
});
