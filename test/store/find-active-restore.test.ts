import { expect, it } from 'vitest';
import { restorePhases, RestoreKind } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { findActiveRestore } from '../../src/store/find-active-restore.ts';
import { openTestStore } from '../support/open-test-store.ts';

it('finds a restore that is writing', async () => {
  const store = openTestStore();
  const metadata = { namespace: systemNamespace, name: 'restore-1' };
  const spec = { startedBy: 'ada@example.com', backup: 'backup-20260101120000-1a2b3c4d' };
  await store.create(RestoreKind, { metadata, spec });
  expect(await findActiveRestore(store)).toBeUndefined();
  const active: string[] = [];
  for (const phase of restorePhases) {
    await store.updateStatus(RestoreKind, metadata, () => ({ phase, startedAt: '2026-01-01T12:00:00Z' }));
    if ((await findActiveRestore(store))?.metadata.name === 'restore-1') active.push(phase);
  }
  expect(active).toEqual(['Restoring', 'Restarting']);
});
