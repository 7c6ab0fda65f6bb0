import { expect, it } from 'vitest';
import { watchSigners } from '../../../api/intake/watch-signers.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createOrg } from '../../support/start-api.ts';

const now = () => new Date('2027-01-01T00:00:00Z');
async function connectOrg(store: Store, org: string): Promise<void> {
  await createOrg(store, org);
  const data = { 'webhook-secret': Buffer.from(`the secret of ${org}`).toString('base64') };
  await store.create(SecretKind, { metadata: { namespace: `org-${org}`, name: 'codehost-app' }, data });
}
const listOrgs = async (read: ReturnType<typeof watchSigners>): Promise<string[]> =>
  (await read()).all.map(({ org }) => org).toSorted();

it('follows the orgs and their secrets without reading them again', async () => {
  const store = openTestStore();
  let lists = 0;
  const list: Store['list'] = async (kind, options) => ((lists += 1), await store.list(kind, options));
  const read = watchSigners({ store: { ...store, list }, now });
  await connectOrg(store, 'acme');
  expect(await listOrgs(read)).toEqual(['acme']);
  await connectOrg(store, 'beta');
  await expect.poll(() => listOrgs(read)).toEqual(['acme', 'beta']);
  const accounts = async () => (await read()).candidates({ appId: undefined, accounts: ['other'] });
  const beta = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'beta' });
  await store.replace(OrganizationKind, { ...beta, spec: { ...beta.spec, codehostAccount: 'Other' } });
  await expect.poll(async () => (await accounts()).map(({ org }) => org)).toEqual(['beta']);
  await store.delete(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
  await expect.poll(() => listOrgs(read)).toEqual(['beta']);
  await store.delete(SecretKind, { namespace: 'org-beta', name: 'codehost-app' });
  await expect.poll(() => listOrgs(read)).toEqual([]);
  expect(lists).toBe(2);
});

it('reads everything again after the store could not be read, and after a watch has ended', async () => {
  const store = openTestStore();
  await connectOrg(store, 'acme');
  const failures = new Set(['Organization', 'Secret']);
  const list: Store['list'] = async (kind, options) => {
    if (failures.delete(kind.kind)) throw new Error('The store is away.');
    return await store.list(kind, options);
  };
  const signals: AbortSignal[] = [];
  // These watches end at once, as those of a store do that stops.
  const watch: Store['watch'] = (kind, options) => {
    signals.push(options.signal);
    return store.watch(kind, { ...options, signal: AbortSignal.abort() });
  };
  const read = watchSigners({ store: { ...store, list, watch }, now });
  for (let attempt = 0; attempt < 2; attempt += 1) await expect(read()).rejects.toThrow('The store is away.');
  expect(await listOrgs(read)).toEqual(['acme']);
  await connectOrg(store, 'beta');
  await expect.poll(() => listOrgs(read)).toEqual(['acme', 'beta']);
  await expect.poll(() => signals.every(({ aborted }) => aborted)).toBe(true);
});

it('ends its watches when the process shuts down', async () => {
  const store = openTestStore();
  await connectOrg(store, 'acme');
  const signals: AbortSignal[] = [];
  const watch: Store['watch'] = (kind, options) => {
    signals.push(options.signal);
    return store.watch(kind, options);
  };
  const shutdown = new AbortController();
  const read = watchSigners({ store: { ...store, watch }, now, shutdownSignal: shutdown.signal });
  expect(await listOrgs(read)).toEqual(['acme']);
  await expect.poll(() => signals.length).toBe(2);
  shutdown.abort();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
