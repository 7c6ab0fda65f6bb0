import { expect, it } from 'vitest';
import type { ListOptions, Page, Store } from '../../../src/store/store.ts';
import { aProbe, names, ProbeKind, refusal, withSize, type Harness, type Probe } from './probe.ts';

async function fill(store: Store, namespace: string, count: number): Promise<Probe[]> {
  const numbers = Array.from({ length: count }, (_, index) => String(index).padStart(3, '0'));
  return Promise.all(numbers.map((number) => store.create(ProbeKind, aProbe(namespace, `p-${number}`))));
}

/** All pages after the first. */
async function rest(store: Store, options: ListOptions, first: Page<Probe>): Promise<Page<Probe>[]> {
  const pages = [];
  for (let page = first; page.continue !== undefined;) {
    page = await store.list(ProbeKind, { ...options, continue: page.continue });
    pages.push(page);
  }
  return pages;
}

export function listingContract({ opened, space }: Harness): void {
  it('lists a namespace in the order of names, and all namespaces together', async () => {
    const { store } = opened();
    const spaces = [await space(), await space()].toSorted();
    for (const namespace of spaces.toReversed()) {
      for (const name of ['b', 'a', 'a.b', 'a-b']) await store.create(ProbeKind, aProbe(namespace, name));
    }
    const { items, ...page } = await store.list(ProbeKind, { namespace: spaces[0] ?? '' });
    expect(names(items)).toEqual(['a', 'a-b', 'a.b', 'b']);
    expect(page).not.toHaveProperty('continue');
    const all = (await store.list(ProbeKind)).items.filter(({ metadata }) => spaces.includes(metadata.namespace));
    expect(all.map(({ metadata }) => metadata.namespace)).toEqual([
      ...Array(4).fill(spaces[0]),
      ...Array(4).fill(spaces[1]),
    ]);
    expect(await store.list(ProbeKind, { namespace: await space() })).toMatchObject({ items: [] });
  });

  it('selects by every label and every field that is given', async () => {
    const { store } = opened();
    const namespace = await space();
    const tier = 'service.delivery/tier';
    await store.create(ProbeKind, aProbe(namespace, 'a', { labels: { [tier]: 'web', zone: 'rc' } }));
    await store.create(ProbeKind, aProbe(namespace, 'b', { labels: { [tier]: 'web' }, spec: { product: 'desk' } }));
    await store.create(ProbeKind, aProbe(namespace, 'c', { labels: { zone: 'rc' }, spec: { size: 12, on: true } }));
    const selected = async (options: ListOptions) =>
      names((await store.list(ProbeKind, { namespace, ...options })).items);
    expect(await selected({ labels: { [tier]: 'web' } })).toEqual(['a', 'b']);
    expect(await selected({ labels: { [tier]: 'web', zone: 'rc' } })).toEqual(['a']);
    expect(await selected({ labels: { zone: 'r' } })).toEqual([]);
    expect(await selected({ fields: { 'spec.product': 'shop' } })).toEqual(['a', 'c']);
    expect(await selected({ fields: { 'spec.product': 'shop', 'spec.size': '12' } })).toEqual(['c']);
    expect(await selected({ fields: { 'spec.on': 'true' } })).toEqual(['c']);
    expect(await selected({ fields: { 'metadata.name': 'b' } })).toEqual(['b']);
    expect(await selected({ fields: { 'spec.product': 'shop' }, labels: { [tier]: 'web' }, limit: 1 })).toEqual(['a']);
  });

  it('refuses selectors that cannot be one', async () => {
    const { store } = opened();
    const byField = await refusal('invalid', store.list(ProbeKind, { fields: { "spec'--": 'x' } }));
    expect(byField.message).toContain("spec'--");
    const byLabel = await refusal('invalid', store.list(ProbeKind, { labels: { 'a"b': 'x' } }));
    expect(byLabel.message).toContain('a"b');
  });

  it('pages through a namespace, each object once', async () => {
    const { store } = opened();
    const namespace = await space();
    const probes = await fill(store, namespace, 10);
    for (const limit of [1, 3, 5, 10, 11]) {
      const first = await store.list(ProbeKind, { namespace, limit });
      const pages = [first, ...(await rest(store, { namespace, limit }, first))];
      expect(pages.every(({ items }) => items.length <= limit)).toBe(true);
      expect(pages.flatMap(({ items }) => items)).toEqual(probes);
    }
  });

  it('shows the state of the first page on all pages, whatever is written between them', async () => {
    const { store } = opened();
    const namespace = await space();
    const probes = await fill(store, namespace, 12);
    const first = await store.list(ProbeKind, { namespace, limit: 4 });
    for (const [index, probe] of probes.entries()) {
      if (index % 3 === 0) await store.delete(ProbeKind, probe.metadata);
      if (index % 3 === 1)
        await store.replace(ProbeKind, withSize(await store.replace(ProbeKind, withSize(probe, 2)), 3));
      await store.create(ProbeKind, aProbe(namespace, `${probe.metadata.name}-new`));
    }
    await store.create(ProbeKind, aProbe(namespace, 'p-009', { spec: { size: 9 } }));
    const pages = [first, ...(await rest(store, { namespace, limit: 4 }, first))];
    expect(pages.flatMap(({ items }) => items)).toEqual(probes);
    expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
  });

  it('keeps the snapshot of a selection by labels as well', async () => {
    const { store } = opened();
    const namespace = await space();
    for (const name of ['a', 'b', 'c'])
      await store.create(ProbeKind, aProbe(namespace, name, { labels: { tier: 'web' } }));
    const options = { namespace, labels: { tier: 'web' }, limit: 1 };
    const first = await store.list(ProbeKind, options);
    const b = await store.get(ProbeKind, { namespace, name: 'b' });
    await store.replace(ProbeKind, { ...b, metadata: { ...b.metadata, labels: { tier: 'db' } } });
    await store.delete(ProbeKind, { namespace, name: 'c' });
    const pages = [first, ...(await rest(store, options, first))];
    expect(names(pages.flatMap(({ items }) => items))).toEqual(['a', 'b', 'c']);
  });

  it('stamps what it shows: the same while nothing changes, and another after each change', async () => {
    const { store } = opened();
    const namespace = await space();
    const look = async (): Promise<unknown> => {
      await store.list(ProbeKind, { namespace, exact: false });
      return store.stamp(ProbeKind, namespace);
    };
    const [empty, still] = [await look(), await look()];
    expect(empty).toBeDefined();
    expect(still).toBe(empty);
    const created = await store.create(ProbeKind, aProbe(namespace, 'a'));
    const withOne = await look();
    await store.updateStatus(ProbeKind, created.metadata, () => ({ count: 1 }));
    const withStatus = await look();
    await store.delete(ProbeKind, created.metadata);
    expect(new Set([empty, withOne, withStatus, await look()]).size).toBe(4);
  });

  it('shows nothing older to who lists inexactly than what it has written itself', async () => {
    const { store } = opened();
    const namespace = await space();
    for (let number = 0; number < 20; number += 1) {
      const { metadata } = await store.create(ProbeKind, aProbe(namespace, `p-${number}`));
      await store.updateStatus(ProbeKind, metadata, () => ({ count: number }));
      const { items } = await store.list(ProbeKind, { namespace, exact: false });
      expect(items).toHaveLength(1);
      expect(items[0]?.status).toEqual({ count: number });
      await store.delete(ProbeKind, metadata);
      expect((await store.list(ProbeKind, { namespace, exact: false })).items).toEqual([]);
    }
  });

  it('refuses a continue that is garbled', async () => {
    const { store } = opened();
    const namespace = await space();
    await fill(store, namespace, 3);
    const { continue: token = '' } = await store.list(ProbeKind, { namespace, limit: 1 });
    expect(token).not.toBe('');
    for (const garbled of ['', 'x', '!!', token.slice(1), `${token}AAAA`, `${token}%`]) {
      const { message, pointers } = await refusal(
        'invalid',
        store.list(ProbeKind, { namespace, limit: 1, continue: garbled }),
      );
      expect(message).toContain('List again');
      expect(pointers).toEqual(['?continue']);
    }
  });
}
