import { expect, it } from 'vitest';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { RestoreKind, toRestoreSecretRef } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { endLostRestore } from '../../src/store/end-lost-restore.ts';
import { openTestStore } from '../support/open-test-store.ts';

const at = '2027-01-01T00:00:00.000Z';
const ref = { namespace: systemNamespace, name: 'restore-1' };

it('fails a restore and deletes its recovery key, also without one', async () => {
  const store = openTestStore();
  const spec = { startedBy: 'ada@example.com', backup: 'backup-20260101120000-1a2b3c4d' };
  const restore = await store.create(RestoreKind, { metadata: ref, spec });
  await store.create(SecretKind, { metadata: toRestoreSecretRef(ref.name), data: {} });
  for (let time = 0; time < 2; time += 1) await endLostRestore(store, restore, at);
  expect(await store.find(SecretKind, toRestoreSecretRef(ref.name))).toBeUndefined();
  expect((await store.get(RestoreKind, ref)).status).toMatchObject({ phase: 'Failed', finishedAt: at });
  await store.delete(RestoreKind, ref);
  await endLostRestore(store, restore, at);
});
