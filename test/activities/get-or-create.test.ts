import { expect, it, onTestFinished } from 'vitest';
import { getOrCreate } from '../../activities/get-or-create.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

it('creates an object, and returns the existing one afterwards', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  const metadata = { namespace: 'org-acme', name: 'one' };
  const created = await getOrCreate(store, ConfigMapKind, { metadata, data: { value: '1' } });
  expect(created.data).toEqual({ value: '1' });
  expect(await getOrCreate(store, ConfigMapKind, { metadata, data: { value: '2' } })).toEqual(created);
});
