import { expect, it } from 'vitest';
import { getOrCreate } from '../../activities/get-or-create.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { openTestStore } from '../support/open-test-store.ts';

it('creates an object, and returns the existing one afterwards', async () => {
  const store = openTestStore();
  const metadata = { namespace: 'org-acme', name: 'one' };
  const created = await getOrCreate(store, ConfigMapKind, { metadata, data: { value: '1' } });
  expect(created.data).toEqual({ value: '1' });
  expect(await getOrCreate(store, ConfigMapKind, { metadata, data: { value: '2' } })).toEqual(created);
});
