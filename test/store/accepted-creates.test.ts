import { expect, it, onTestFinished } from 'vitest';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { AccessGroupKind } from '../../src/rules/access/kinds.ts';
import { isReconciled } from '../../src/rules/conditions.ts';
import { acceptedCreates } from '../../src/store/accepted-creates.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

it('marks the resources that the service creates, and no other objects', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  const metadata = { namespace: 'org-acme', name: 'ops', annotations: { kept: 'yes' } };
  const accepting = acceptedCreates(store);
  const group = await accepting.create(AccessGroupKind, {
    metadata,
    spec: { name: 'ops', role: 'viewer', members: [] },
  });
  expect(isReconciled(group)).toBe(true);
  expect(group.metadata.annotations).toMatchObject({ kept: 'yes' });
  const edited = await accepting.replace(AccessGroupKind, { ...group, spec: { ...group.spec, role: 'member' } });
  expect(isReconciled(edited)).toBe(false);
  expect((await accepting.create(ConfigMapKind, { metadata })).metadata.annotations).toEqual({ kept: 'yes' });
});
