import { createEntry, installationScope } from '../../../api/audit/audit-log.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { createEntryId } from '../../../src/rules/audit/entry-id.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';

/** Records as many refused changes of the org "acme" and of the installation, which fill pages of the log. */
export async function seedAudit(store: Store, count: number): Promise<void> {
  const { metadata } = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
  const startMs = Date.now() - 60_000;
  for (const scope of [metadata.uid, installationScope])
    for (const index of Array.from({ length: count }).keys()) {
      const at = new Date(startMs + index);
      await createEntry(store, scope, {
        id: createEntryId(at, `${scope.slice(0, 4)}-${index}`),
        at: at.toISOString(),
        operation: 'createProduct',
        by: 'hanne@example.com',
        via: 'session',
        address: '192.0.2.7',
        requestId: `request-${index}`,
        parameters: [{ name: 'body.name', value: 'tides' }],
        result: 'refused',
        status: 422,
        reason: 'quota-exceeded',
        changes: [],
      });
    }
}
