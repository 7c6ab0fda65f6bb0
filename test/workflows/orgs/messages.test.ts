import { setImmediate } from 'node:timers/promises';
import { expect, expectTypeOf, it } from 'vitest';
import { startOrgDeletion } from '../../../src/reconcile/start-org-deletion.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import type { deleteOrg } from '../../../workflows/index.ts';
import { deleteOrgStart } from '../../../workflows/orgs/messages.ts';
import { createOrg } from '../../support/start-api.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { describeStart } from '../../support/workflows/describe-start.ts';

it('starts one deletion per org, which is what the API and kubectl start', async () => {
  const start = deleteOrgStart({ org: 'acme', by: 'bob' });
  expect(describeStart(start)).toEqual({
    type: 'deleteOrg',
    workflowId: 'delete-org/acme',
    conflictPolicy: 'USE_EXISTING',
    reusePolicy: 'ALLOW_DUPLICATE',
    attributes: { org: 'acme', targetKind: 'org' },
    summary: 'Delete org acme',
    details: 'Requested by bob.',
  });
  expectTypeOf<NonNullable<(typeof start)['signature']>>().toEqualTypeOf<typeof deleteOrg>();
  const { temporal, starts } = captureStarts();
  const store = openMemoryStore();
  await createOrg(store, 'acme');
  await startOrgDeletion({ store, temporal }, { org: 'acme', by: 'bob' });
  const { type, options } = start;
  expect(starts).toEqual([{ type, options }]);
  const [organization] = (await store.list(OrganizationKind)).items;
  expect(organization).toMatchObject({
    metadata: { finalizers: ['service.delivery/org'], deletionTimestamp: expect.any(String) },
    status: { deletionMessage: 'The deletion was requested by bob.' },
  });
  await store.close();
});

it('waits for the finalizer before the deletion, and writes it once', async () => {
  const { temporal } = captureStarts();
  const store = openMemoryStore();
  await createOrg(store, 'acme');
  let writes = 0;
  const replace: typeof store.replace = async (kind, object) => {
    writes += 1;
    await setImmediate();
    return await store.replace(kind, object);
  };
  await startOrgDeletion({ store: { ...store, replace }, temporal }, { org: 'acme', by: 'bob' });
  expect(writes).toBe(1);
  await store.close();
});
