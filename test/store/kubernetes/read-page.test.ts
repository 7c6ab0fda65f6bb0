import { expect, it, onTestFinished } from 'vitest';
import { NamespaceKind } from '../../../src/kinds/kubernetes.ts';
import { cachedReads } from '../../../src/store/cached-reads.ts';
import { openKubernetesStore } from '../../../src/store/kubernetes.ts';
import type { ListOptions } from '../../../src/store/store.ts';
import { buildProbe, ProbeKind, toNames } from '../../contracts/store/probe.ts';
import { startKubernetesApi } from '../../support/servers/kubernetes-api.ts';

const [namespace, other] = ['org-acme', 'org-acme-b'];
const names = Array.from({ length: 30 }, (_, index) => `p-${String(index).padStart(2, '0')}`);

async function openStore() {
  const limits: string[] = [];
  const server = await startKubernetesApi([ProbeKind], ({ method, query }) => {
    if (method === 'GET' && query.get('watch') !== 'true') limits.push(query.get('limit') ?? '');
    return undefined;
  });
  const store = await openKubernetesStore(server.kubeConfig);
  onTestFinished(async () => {
    await store.close();
    await server.stop();
  });
  for (const name of names)
    await server.store.create(ProbeKind, buildProbe(namespace, name, { labels: { tier: 'web' } }));
  limits.length = 0;
  /** Reads a list to its end, and returns the names with the number of objects that each request asked for. */
  const readPages = async (options: ListOptions, from = store) => {
    const found: string[] = [];
    for (let token: string | undefined; ;) {
      const page = await from.list(ProbeKind, { ...options, ...(token !== undefined && { continue: token }) });
      found.push(...toNames(page.items));
      if (page.continue === undefined) return { found, limits };
      token = page.continue;
    }
  };
  return { server, store, limits, readPages };
}

it('asks for the objects of each page only', async () => {
  const { readPages } = await openStore();
  expect(await readPages({ namespace, limit: 10 })).toEqual({ found: names, limits: ['10', '10', '10'] });
});

it('fills a page with several responses, of which none has more than 500 objects', async () => {
  const { server, readPages } = await openStore();
  const many = Array.from({ length: 600 }, (_, index) => `q-${String(index).padStart(3, '0')}`);
  for (const name of many) await server.store.create(ProbeKind, buildProbe(namespace, name));
  const { found, limits } = await readPages({ namespace, limit: 600 });
  expect(found).toEqual([...names, ...many]);
  expect(limits).toEqual(['500', '100', '500']);
});

it.each<[string, ListOptions]>([
  ['by a label', { namespace, labels: { tier: 'web' }, limit: 20 }],
  ['by a field', { namespace, fields: { 'spec.product': 'shop' }, limit: 20 }],
  ['from all namespaces, which the API server sorts differently', { limit: 20 }],
])('selects %s from all objects', async (_, options) => {
  const { readPages } = await openStore();
  expect(await readPages(options)).toEqual({ found: names, limits: ['500', '500'] });
});

it('continues a page of the cache, and in the cache a page of the API server', async () => {
  const { server, store } = await openStore();
  const cached = cachedReads(store);
  const options = { namespace, limit: 20 };
  const first = await cached.list(ProbeKind, options);
  const strong = await store.list(ProbeKind, options);
  await server.store.create(ProbeKind, buildProbe(other, 'later'));
  for (const [page, reads] of [
    [first, store],
    [strong, cached],
  ] as const) {
    const rest = await reads.list(ProbeKind, { ...options, continue: page.continue ?? '' });
    expect(toNames([...page.items, ...rest.items])).toEqual(names);
    expect(rest).not.toHaveProperty('continue');
  }
});

it('reads Namespaces, which are in no namespace, page by page', async () => {
  const { server, store, limits } = await openStore();
  for (const name of ['a', 'b', 'c']) await server.store.create(NamespaceKind, { metadata: { namespace: '', name } });
  const first = await store.list(NamespaceKind, { namespace: '', limit: 3 });
  const rest = await store.list(NamespaceKind, { namespace: '', limit: 3, continue: first.continue ?? '' });
  const found = [...first.items, ...rest.items].map(({ metadata }) => metadata.name);
  expect(found).toEqual(['a', 'b', 'c', 'service-system']);
  expect(limits).toEqual(['3', '3']);
});
