import { expect, it } from 'vitest';
import { recordGitopsAccess } from '../../../activities/environments/record-gitops-access.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const ref = { namespace: 'org-acme', name: 'shop' };
const product = { org: 'acme', product: 'shop' };
const readable = { type: 'GitopsRepoReadable', status: 'True', reason: 'Readable' };

it('records a finding in the conditions of the Product once, and keeps the rest of its status', async () => {
  const store = openTestStore();
  await store.create(ProductKind, { metadata: ref, spec: { repos: [], delivery: { zones: [] } } });
  await store.updateStatus(ProductKind, ref, () => ({ zones: [{ name: 'shop-rc' }] }));
  let at = '2026-01-01T00:00:00.000Z';
  const record = async (violation?: string) => {
    await recordGitopsAccess(store, product, { violation, now: () => new Date(at) });
    return await store.get(ProductKind, ref);
  };
  const first = await record();
  expect(first.status).toMatchObject({ zones: [{ name: 'shop-rc' }], conditions: [readable] });
  at = '2026-01-02T00:00:00.000Z';
  expect(await record()).toEqual(first);
  expect((await record('Argo CD cannot read it.')).status?.conditions).toMatchObject([
    { status: 'False', reason: 'Unreadable', message: 'Argo CD cannot read it.', lastTransitionTime: at },
  ]);
});

it('ignores a Product that was deleted', async () => {
  const store = openTestStore();
  const finding = { violation: undefined, now: () => new Date() };
  await expect(recordGitopsAccess(store, product, finding)).resolves.toBeUndefined();
  await store.close();
  await expect(recordGitopsAccess(store, product, finding)).rejects.toThrow(/open/);
});
