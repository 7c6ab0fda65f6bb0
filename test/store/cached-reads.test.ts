import { expect, it } from 'vitest';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { ReadOptions } from '../../src/store/store.ts';
import { buildProbe, ProbeKind } from '../contracts/store/probe.ts';

it('requests cached consistency for every read', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  const consistencies: unknown[] = [];
  const record = (options: ReadOptions | undefined): void => void consistencies.push(options?.consistency);
  const cached = cachedReads({
    ...store,
    get: async (kind, ref, options) => (record(options), await store.get(kind, ref)),
    find: async (kind, ref, options) => (record(options), await store.find(kind, ref)),
    list: async (kind, options) => (record(options), await store.list(kind, options)),
  });
  const { metadata } = await cached.create(ProbeKind, buildProbe('org-acme', 'a'));
  expect((await cached.get(ProbeKind, metadata)).metadata).toEqual(metadata);
  expect(await cached.find(ProbeKind, { ...metadata, name: 'b' })).toBeUndefined();
  expect((await cached.list(ProbeKind, { namespace: 'org-other' })).items).toEqual([]);
  expect(consistencies).toEqual(['cached', 'cached', 'cached']);
  await store.close();
});
