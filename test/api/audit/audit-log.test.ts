import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  archiveEntries,
  completeEntry,
  createEntry,
  discardEntry,
  listSegments,
  listStoredEntries,
  readEntries,
  type StoredEntry,
} from '../../../api/audit/audit-log.ts';
import { type Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import type { AuditEntry } from '../../../src/rules/audit/entry.ts';
import { segmentKey } from '../../../src/rules/audit/segment.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const scope = 'org-uid';
const toEntry = (number: number, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  id: toId(number),
  at: '2026-11-25T12:00:00.000Z',
  operation: `operation-${number}`,
  via: 'token',
  address: '192.0.2.1',
  requestId: 'r',
  parameters: [],
  result: 'succeeded',
  changes: [],
  ...changes,
});
const rangeFor = (number: number) => ({ first: toId(number), last: toId(number) });
const toId = (number: number): string => `id-${String(number).padStart(4, '0')}`;

async function openLog() {
  const store = openTestStore();
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const blobs = directoryBlobs(folder);
  const add = async (...numbers: number[]): Promise<StoredEntry[]> => {
    const added: StoredEntry[] = [];
    for (const number of numbers) added.push(await createEntry(store, scope, toEntry(number)));
    return added;
  };
  const archive = async (...numbers: number[]) => await archiveEntries({ store, blobs }, scope, await add(...numbers));
  const read = async (
    slice: { before?: string; from?: string; limit?: number; wanted?: number[] } = {},
    from = blobs,
  ) => {
    const { wanted, limit = 500, ...range } = slice;
    const matches = ({ id }: AuditEntry) => wanted?.some((number) => toId(number) === id) ?? true;
    const { items, next } = await readEntries({ store, blobs: from }, scope, { ...range, limit, matches });
    return { numbers: items.map(({ id }) => Number(id.slice(3))), next };
  };
  return { store, blobs, add, archive, read };
}

describe('an entry in the store', () => {
  it('is listed by its scope, completed and discarded', async () => {
    const { store } = await openLog();
    const stored = await createEntry(store, scope, toEntry(1, { result: 'unknown' }));
    await createEntry(store, 'installation', toEntry(2));
    await completeEntry(store, stored, toEntry(1));
    const ids = (entries?: StoredEntry[]) => entries?.map(({ entry }) => [entry.id, entry.result]);
    expect(ids((await listStoredEntries(store, scope)).get(scope))).toEqual([[toId(1), 'succeeded']]);
    expect([...(await listStoredEntries(store, scope)).keys()]).toEqual([scope]);
    expect([...(await listStoredEntries(store)).keys()].toSorted()).toEqual(['installation', scope]);
    for (let time = 0; time < 2; time += 1) await discardEntry(store, stored);
    expect([...(await listStoredEntries(store)).keys()]).toEqual(['installation']);
  });

  it('is left out when it is no entry', async () => {
    const { store, add } = await openLog();
    const [stored] = await add(1);
    const labels = stored?.secret.metadata.labels ?? {};
    const owner = Object.fromEntries(Object.entries(labels).filter(([, value]) => value === 'true'));
    const data = stored?.secret.data ?? {};
    await store.create(SecretKind, {
      metadata: { namespace: systemNamespace, name: 'without-text', labels },
      data: {},
    });
    await store.create(SecretKind, {
      metadata: { namespace: systemNamespace, name: 'without-scope', labels: owner },
      data,
    });
    expect([...(await listStoredEntries(store)).values()].flat()).toHaveLength(1);
  });
});

describe('archiveEntries', () => {
  it('moves entries to one segment, in the order of their ids, also when it is repeated', async () => {
    const { store, blobs, add, read } = await openLog();
    const stored = await add(3, 1, 2);
    await archiveEntries({ store, blobs }, scope, stored);
    expect(await listSegments(blobs, 'audit/')).toMatchObject([{ first: toId(1), last: toId(3) }]);
    expect((await store.list(SecretKind)).items).toEqual([]);
    await archiveEntries({ store, blobs }, scope, stored);
    expect(await listSegments(blobs, 'audit/')).toHaveLength(1);
    expect((await read()).numbers).toEqual([3, 2, 1]);
  });

  it('keeps an entry in the store that was completed meanwhile, whose result then counts', async () => {
    const { store, blobs } = await openLog();
    const stored = await createEntry(store, scope, toEntry(1, { result: 'unknown' }));
    await completeEntry(store, stored, toEntry(1));
    await archiveEntries({ store, blobs }, scope, [stored]);
    const readResult = async () =>
      (await readEntries({ store, blobs }, scope, { limit: 5, matches: () => true })).items;
    expect(await readResult()).toMatchObject([{ id: toId(1), result: 'succeeded' }]);
    const again = (await listStoredEntries(store, scope)).get(scope) ?? [];
    expect(again).toHaveLength(1);
    await archiveEntries({ store, blobs }, scope, again);
    expect(await readResult()).toMatchObject([{ id: toId(1), result: 'succeeded' }]);
    expect((await listStoredEntries(store)).size).toBe(0);
  });

  it('writes nothing without entries', async () => {
    const { store, blobs } = await openLog();
    await archiveEntries({ store, blobs }, scope, []);
    expect(await blobs.list('')).toEqual([]);
  });

  it('throws when the store is away, and has the entry in both places', async () => {
    const { store, blobs, add } = await openLog();
    const broken: Store = { ...store, delete: async () => await Promise.reject(new Error('away')) };
    await expect(archiveEntries({ store: broken, blobs }, scope, await add(1))).rejects.toThrow('away');
    expect((await listStoredEntries(store)).size).toBe(1);
    expect(await blobs.list('audit/')).toHaveLength(1);
  });

  it('passes over what is no segment', async () => {
    const { blobs, archive } = await openLog();
    await blobs.put(`audit/${scope}/other`, new Uint8Array([1]));
    await archive(1);
    expect(await listSegments(blobs, `audit/${scope}/`)).toHaveLength(1);
  });
});

describe('readEntries', () => {
  /** Keeps entries 1 to 8 in three segments, of which two overlap, and 9 in the store. */
  async function openFilled() {
    const log = await openLog();
    await log.archive(1, 2);
    await log.archive(3, 6, 5);
    await log.archive(4, 7, 8);
    await log.add(9);
    return log;
  }

  it('reads the store and all segments, newest first', async () => {
    const { read } = await openFilled();
    expect(await read()).toEqual({ numbers: [9, 8, 7, 6, 5, 4, 3, 2, 1], next: undefined });
  });

  it.each([1, 2, 3, 4, 8, 9, 10])('reads pages of %i without a gap, and ends with the last entry', async (limit) => {
    const { read } = await openFilled();
    const seen: number[] = [];
    let pages = 0;
    for (let before: string | undefined = '~'; before !== undefined; pages += 1) {
      const { numbers, next }: { numbers: number[]; next: string | undefined } = await read({ before, limit });
      seen.push(...numbers);
      before = next;
    }
    expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(pages).toBe(Math.ceil(9 / limit));
  });

  it.each([
    [{ before: toId(4) }, [3, 2, 1]],
    [{ before: toId(3) }, [2, 1]],
    [{ before: toId(1) }, []],
    [{ from: toId(8) }, [9, 8]],
    [{ from: toId(7), before: toId(9) }, [8, 7]],
    [{ from: toId(10) }, []],
  ])('reads the range %j', async (range, numbers) => {
    const { read } = await openFilled();
    expect(await read(range)).toEqual({ numbers, next: undefined });
  });

  it('reads no segment outside the range', async () => {
    const { read, blobs } = await openFilled();
    const found: string[] = [];
    const counted: Blobs = {
      ...blobs,
      find: async (key) => {
        found.push(key.split('/').at(-1)?.split('_').slice(0, 2).join(' ') ?? '');
        return await blobs.find(key);
      },
    };
    await read({ before: toId(3) }, counted);
    expect(found.splice(0)).toEqual([`${toId(1)} ${toId(2)}`]);
    await read({ from: toId(7) }, counted);
    expect(found.splice(0)).toEqual([`${toId(4)} ${toId(8)}`]);
    await read({ limit: 1 }, counted);
    expect(found.splice(0)).toEqual([]);
  });

  it('counts only entries that match', async () => {
    const { read } = await openFilled();
    expect(await read({ wanted: [2, 9], limit: 2 })).toEqual({ numbers: [9, 2], next: toId(2) });
    expect(await read({ wanted: [1, 9], limit: 2 })).toEqual({ numbers: [9, 1], next: undefined });
  });

  it('passes over a segment that retention deletes meanwhile', async () => {
    const { read, blobs } = await openFilled();
    const key = (await blobs.list('')).find((one) => one.includes(`${toId(3)}_`)) ?? '';
    const deleting: Blobs = { ...blobs, find: async (one) => (one === key ? undefined : await blobs.find(one)) };
    expect((await read({}, deleting)).numbers).toEqual([9, 8, 7, 4, 2, 1]);
  });

  it('reads a hundred segments for a page, and continues with the next one', async () => {
    const { read, blobs } = await openLog();
    const keys = Array.from({ length: 102 }, (_, index) => segmentKey(scope, rangeFor(index + 1), 'hash'));
    let reads = 0;
    const counted: Blobs = {
      ...blobs,
      list: async () => keys,
      find: async (key) => {
        reads += 1;
        return gzipSync(`${JSON.stringify(toEntry(keys.indexOf(key) + 1))}\n`);
      },
    };
    const first = await read({ wanted: [1, 2, 102] }, counted);
    expect([first.numbers, reads]).toEqual([[102], 100]);
    expect(await read({ wanted: [1, 2, 102], before: first.next ?? '' }, counted)).toEqual({
      numbers: [2, 1],
      next: undefined,
    });
  });
});
