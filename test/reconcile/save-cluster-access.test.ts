import { expect, it } from 'vitest';
import type { ClusterAccess } from '../../src/rules/clusters/cluster-access.ts';
import {
  deleteLeftClusterAccess,
  findClusterAccess,
  replaceClusterAccess,
  saveClusterAccess,
} from '../../src/reconcile/save-cluster-access.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestStore } from '../support/open-test-store.ts';

const access = (token: string): ClusterAccess => ({ server: 'https://k8s.example.com', token });

it('keeps the credentials of other clusters', async () => {
  const store = openTestStore();
  await saveClusterAccess(store, 'none', undefined);
  await saveClusterAccess(store, 'one', access('a'));
  await saveClusterAccess(store, 'two', access('b'));
  await saveClusterAccess(store, 'one', undefined);
  expect(await findClusterAccess(store, 'one')).toBeUndefined();
  expect(await findClusterAccess(store, 'two')).toEqual(access('b'));
});

it('replaces only the credentials that were read, and brings none back that were deleted', async () => {
  const store = openTestStore();
  const replace = async (previous: ClusterAccess | undefined, token: string): Promise<string | undefined> => {
    await replaceClusterAccess(store, 'one', { previous, access: access(token) });
    return (await findClusterAccess(store, 'one'))?.token;
  };
  expect(await replace(undefined, 'first')).toBe('first');
  expect(await replace(access('first'), 'second')).toBe('second');
  // Another replica was faster.
  expect(await replace(access('first'), 'third')).toBe('second');
  expect(await replace(undefined, 'fourth')).toBe('second');
  await saveClusterAccess(store, 'one', undefined);
  expect(await replace(access('second'), 'fifth')).toBeUndefined();
});

it('keeps the credentials of a cluster that is added while those of deleted ones go', async () => {
  const store = openTestStore();
  await saveClusterAccess(store, 'deleted', access('a'));
  let isAdded = false;
  const list: Store['list'] = async (kind, options) => {
    const page = await store.list(kind, options);
    if (isAdded) return page;
    isAdded = true;
    await store.create(ClusterKind, { metadata: { namespace: systemNamespace, name: 'added' }, spec: {} });
    await saveClusterAccess(store, 'added', access('b'));
    return page;
  };
  await deleteLeftClusterAccess({ ...store, list });
  expect(await findClusterAccess(store, 'added')).toEqual(access('b'));
  expect(await findClusterAccess(store, 'deleted')).toBeUndefined();
});
