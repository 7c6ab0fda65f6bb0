import { RestoreKind, type RestoreStatus } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Brings a restore of the installation to a phase, and creates it first. */
export async function setRestorePhase(store: Store, phase: RestoreStatus['phase']): Promise<void> {
  const metadata = { namespace: systemNamespace, name: 'restore-1' };
  const spec = { startedBy: 'ada@example.com', backup: 'backup-20260101120000-1a2b3c4d' };
  if (!(await store.find(RestoreKind, metadata))) await store.create(RestoreKind, { metadata, spec });
  await store.updateStatus(RestoreKind, metadata, () => ({ phase, startedAt: '2026-01-01T12:00:00.000Z' }));
}
