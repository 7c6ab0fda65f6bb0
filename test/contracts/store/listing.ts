import { expect, it } from 'vitest';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import type { ListOptions, Page, Store } from '../../../src/store/store.ts';
import { buildProbe, toNames, ProbeKind, expectError, withSize, type StoreHarness, type Probe } from './probe.ts';

async function createProbes(store: Store, namespace: string, count: number): Promise<Probe[]> {
  const numbers = Array.from({ length: count }, (_, index) => String(index).padStart(3, '0'));
  return Promise.all(numbers.map((number) => store.create(ProbeKind, buildProbe(namespace, `p-${number}`))));
}

async function fetchRemainingPages(store: Store, options: ListOptions, first: Page<Probe>): Promise<Page<Probe>[]> {
  const pages = [];
  for (let page = first; page.continue !== undefined;) {
    page = await store.list(ProbeKind, { ...options, continue: page.continue });
    pages.push(page);
  }
  return pages;
}

export function describeListing({ getOpened, createNamespaceName }: StoreHarness): void {
  it('lists one namespace or all namespaces, sorted by namespace and name', async () => {
    const { store } = getOpened();
    const spaces = [await createNamespaceName(), await createNamespaceName()].toSorted();
    for (const namespace of spaces.toReversed()) {
      for (const name of ['b', 'a', 'a.b', 'a-b']) await store.create(ProbeKind, buildProbe(namespace, name));
    }
    const { items, ...page } = await store.list(ProbeKind, { namespace: spaces[0] ?? '' });
    expect(toNames(items)).toEqual(['a', 'a-b', 'a.b', 'b']);
    expect(page).not.toHaveProperty('continue');
    const all = (await store.list(ProbeKind)).items.filter(({ metadata }) => spaces.includes(metadata.namespace));
    expect(all.map(({ metadata }) => metadata.namespace)).toEqual([
      ...Array(4).fill(spaces[0]),
      ...Array(4).fill(spaces[1]),
    ]);
    expect(await store.list(ProbeKind, { namespace: await createNamespaceName() })).toMatchObject({ items: [] });
  });

  it('selects by all given labels and fields', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const tier = 'service.delivery/tier';
    await store.create(ProbeKind, buildProbe(namespace, 'a', { labels: { [tier]: 'web', zone: 'rc' } }));
    await store.create(ProbeKind, buildProbe(namespace, 'b', { labels: { [tier]: 'web' }, spec: { product: 'desk' } }));
    await store.create(ProbeKind, buildProbe(namespace, 'c', { labels: { zone: 'rc' }, spec: { size: 12, on: true } }));
    const selected = async (options: ListOptions) =>
      toNames((await store.list(ProbeKind, { namespace, ...options })).items);
    expect(await selected({ labels: { [tier]: 'web' } })).toEqual(['a', 'b']);
    expect(await selected({ labels: { [tier]: 'web', zone: 'rc' } })).toEqual(['a']);
    expect(await selected({ labels: { zone: 'r' } })).toEqual([]);
    expect(await selected({ fields: { 'spec.product': 'shop' } })).toEqual(['a', 'c']);
    expect(await selected({ fields: { 'spec.product': 'shop', 'spec.size': '12' } })).toEqual(['c']);
    expect(await selected({ fields: { 'spec.on': 'true' } })).toEqual(['c']);
    expect(await selected({ fields: { 'metadata.name': 'b' } })).toEqual(['b']);
    expect(await selected({ fields: { 'spec.product': 'shop' }, labels: { [tier]: 'web' }, limit: 1 })).toEqual(['a']);
  });

  it('lists every kind as it was at the version of an earlier list', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const [, changed, deleted] = await createProbes(store, namespace, 3);
    const { resourceVersion: at } = await store.list(ProbeKind, { namespace, limit: 1 });
    const before = await store.list(ProbeKind, { namespace });
    await store.replace(ProbeKind, withSize(changed as Probe, 7));
    await store.delete(ProbeKind, (deleted as Probe).metadata);
    await store.create(ProbeKind, buildProbe(namespace, 'later'));
    await store.create(ConfigMapKind, { metadata: { namespace, name: 'later' } });
    for (const consistency of ['strong', 'cached'] as const)
      expect((await store.list(ProbeKind, { namespace, at, consistency })).items).toEqual(before.items);
    expect(
      (await store.list(ConfigMapKind, { namespace, at })).items.map(({ metadata }) => metadata.name),
    ).not.toContain('later');
    const first = await store.list(ProbeKind, { namespace, at, limit: 1 });
    const rest = await fetchRemainingPages(store, { namespace, limit: 1 }, first);
    expect([first, ...rest].flatMap(({ items }) => items)).toEqual(before.items);
  });

  it('rejects invalid selectors', async () => {
    const { store } = getOpened();
    const byField = await expectError('invalid', store.list(ProbeKind, { fields: { "spec'--": 'x' } }));
    expect(byField.message).toContain("spec'--");
    const byLabel = await expectError('invalid', store.list(ProbeKind, { labels: { 'a"b': 'x' } }));
    expect(byLabel.message).toContain('a"b');
    const byValue = await expectError('invalid', store.list(ProbeKind, { labels: { tier: "web' OR '1'='1" } }));
    expect(byValue.message).toContain("web' OR '1'='1");
  });

  it('compares a value with quotes as a value', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const hostile = `shop' OR '1'='1`;
    await store.create(ProbeKind, buildProbe(namespace, 'a'));
    await store.create(ProbeKind, buildProbe(namespace, 'b', { spec: { product: hostile } }));
    const select = async (product: string) =>
      toNames((await store.list(ProbeKind, { namespace, fields: { 'spec.product': product } })).items);
    expect(await select(hostile)).toEqual(['b']);
    for (const other of [`x' OR 1=1 --`, `x"; DROP TABLE objects; --`, `shop' UNION SELECT * FROM objects --`])
      expect(await select(other), other).toEqual([]);
    expect(await select('shop')).toEqual(['a']);
  });

  it('returns each object once across pages', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const probes = await createProbes(store, namespace, 10);
    for (const limit of [1, 3, 5, 10, 11]) {
      const first = await store.list(ProbeKind, { namespace, limit });
      const pages = [first, ...(await fetchRemainingPages(store, { namespace, limit }, first))];
      expect(pages.every(({ items }) => items.length <= limit)).toBe(true);
      expect(pages.flatMap(({ items }) => items)).toEqual(probes);
    }
  });

  it('returns all pages from the snapshot of the first page, despite writes in between', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const probes = await createProbes(store, namespace, 12);
    const first = await store.list(ProbeKind, { namespace, limit: 4 });
    for (const [index, probe] of probes.entries()) {
      if (index % 3 === 0) await store.delete(ProbeKind, probe.metadata);
      if (index % 3 === 1)
        await store.replace(ProbeKind, withSize(await store.replace(ProbeKind, withSize(probe, 2)), 3));
      await store.create(ProbeKind, buildProbe(namespace, `${probe.metadata.name}-new`));
    }
    await store.create(ProbeKind, buildProbe(namespace, 'p-009', { spec: { size: 9 } }));
    const pages = [first, ...(await fetchRemainingPages(store, { namespace, limit: 4 }, first))];
    expect(pages.flatMap(({ items }) => items)).toEqual(probes);
    expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
  });

  it('keeps the snapshot of a selection by labels', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    for (const name of ['a', 'b', 'c'])
      await store.create(ProbeKind, buildProbe(namespace, name, { labels: { tier: 'web' } }));
    const options = { namespace, labels: { tier: 'web' }, limit: 1 };
    const first = await store.list(ProbeKind, options);
    const b = await store.get(ProbeKind, { namespace, name: 'b' });
    await store.replace(ProbeKind, { ...b, metadata: { ...b.metadata, labels: { tier: 'db' } } });
    await store.delete(ProbeKind, { namespace, name: 'c' });
    const pages = [first, ...(await fetchRemainingPages(store, options, first))];
    expect(toNames(pages.flatMap(({ items }) => items))).toEqual(['a', 'b', 'c']);
  });

  it('returns the same revision until something changes', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const look = async (): Promise<unknown> => {
      await store.list(ProbeKind, { namespace, consistency: 'cached' });
      return store.revision(ProbeKind, namespace);
    };
    const [empty, still] = [await look(), await look()];
    expect(empty).toBeDefined();
    expect(still).toBe(empty);
    const created = await store.create(ProbeKind, buildProbe(namespace, 'a'));
    const withOne = await look();
    await store.updateStatus(ProbeKind, created.metadata, () => ({ count: 1 }));
    const withStatus = await look();
    await store.delete(ProbeKind, created.metadata);
    expect(new Set([empty, withOne, withStatus, await look()]).size).toBe(4);
  });

  it('includes its own writes in every cached list', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    for (let number = 0; number < 20; number += 1) {
      const { metadata } = await store.create(ProbeKind, buildProbe(namespace, `p-${number}`));
      await store.updateStatus(ProbeKind, metadata, () => ({ count: number }));
      const { items } = await store.list(ProbeKind, { namespace, consistency: 'cached' });
      expect(items).toHaveLength(1);
      expect(items[0]?.status).toEqual({ count: number });
      await store.delete(ProbeKind, metadata);
      expect((await store.list(ProbeKind, { namespace, consistency: 'cached' })).items).toEqual([]);
    }
  });

  it('rejects a corrupted continue token', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    await createProbes(store, namespace, 3);
    const { continue: token = '' } = await store.list(ProbeKind, { namespace, limit: 1 });
    expect(token).not.toBe('');
    for (const garbled of ['', 'x', '!!', token.slice(1), `${token}AAAA`, `${token}%`]) {
      const { message, pointers } = await expectError(
        'invalid',
        store.list(ProbeKind, { namespace, limit: 1, continue: garbled }),
      );
      expect(message).toContain('List again');
      expect(pointers).toEqual(['?continue']);
    }
  });
}
