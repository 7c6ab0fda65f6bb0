import { describe, expect, it } from 'vitest';
import { createEntry, installationScope, listStoredEntries, readEntries } from '../../../api/audit/audit-log.ts';
import { createAuditSweep } from '../../../src/main/api/sweep-audit.ts';
import { createEntryId } from '../../../src/rules/audit/entry-id.ts';
import type { AuditEntry } from '../../../src/rules/audit/entry.ts';
import { startApi } from '../../support/start-api.ts';

const hour = 60 * 60_000;
const day = 24 * hour;
const start = Date.parse('2026-11-25T12:00:00Z');

function buildEntry(atMs: number, change: Partial<AuditEntry> = {}): AuditEntry {
  const at = new Date(atMs);
  return {
    id: createEntryId(at, 'a0a0a0a0'),
    at: at.toISOString(),
    operation: 'createUser',
    via: 'session',
    address: '192.0.2.7',
    requestId: 'one',
    parameters: [],
    result: 'succeeded',
    status: 201,
    changes: [],
    ...change,
  };
}

async function startSweeps({ auditRetentionMs = 400 * day } = {}) {
  const { store, blobs } = await startApi();
  let nowMs = start;
  const now = (): Date => new Date(nowMs);
  const sweep = createAuditSweep({ store, blobs, now, auditRetentionMs });
  return {
    store,
    blobs,
    add: async (atMs: number, change?: Partial<AuditEntry>) =>
      await createEntry(store, installationScope, buildEntry(atMs, change)),
    sweepAt: async (ms: number) => {
      nowMs = ms;
      await sweep();
    },
    read: async (limit = 50, before?: string) =>
      await readEntries({ store, blobs }, installationScope, { before, limit, matches: () => true }),
    listBlobs: async () => await blobs.list('audit/'),
  };
}

describe('the sweep of the audit log', () => {
  it('moves entries to a blob when one is an hour old, and reading them gives the same', async () => {
    const { add, sweepAt, read, listBlobs } = await startSweeps();
    for (const minutes of [0, 10, 20]) await add(start + minutes * 60_000);
    const before = await read();
    await sweepAt(start + 30 * 60_000);
    expect(await listBlobs()).toEqual([]);
    await sweepAt(start + hour + 1);
    expect(await listBlobs()).toHaveLength(1);
    expect(await read()).toEqual(before);
    await add(start + 2 * hour);
    const { items } = await read();
    expect(items.map(({ at }) => at.slice(11, 16))).toEqual(['14:00', '12:20', '12:10', '12:00']);
  });

  it('moves the entries of a busy org at once, but none of a request that may still run', async () => {
    const { add, sweepAt, read, listBlobs, store } = await startSweeps();
    for (let second = 0; second < 501; second += 1) await add(start + second * 100);
    await add(start + 55_000, { result: 'unknown' });
    await sweepAt(start + 5 * 60_000);
    expect(await listBlobs()).toHaveLength(1);
    expect((await read(600)).items).toHaveLength(502);
    const left = (await listStoredEntries(store)).get(installationScope);
    expect(left?.map(({ entry }) => entry.result)).toEqual(['unknown']);
  });

  it('keeps an entry without a result for good', async () => {
    const { add, sweepAt, read } = await startSweeps();
    await add(start, { result: 'unknown' });
    await sweepAt(start + 2 * hour);
    expect((await read()).items).toMatchObject([{ result: 'unknown' }]);
  });

  it('shows an entry once when two replicas moved it, and pages through stored and moved ones', async () => {
    const { add, sweepAt, read, store, blobs, listBlobs } = await startSweeps();
    const other = createAuditSweep({
      store,
      blobs,
      now: () => new Date(start + 3 * hour),
      auditRetentionMs: 400 * day,
    });
    for (let minute = 0; minute < 20; minute += 1) await add(start + minute * 60_000);
    const dying = { ...store, delete: async () => await Promise.reject(new Error('killed')) };
    const killed = createAuditSweep({
      store: dying,
      blobs,
      now: () => new Date(start + 2 * hour),
      auditRetentionMs: day,
    });
    await expect(killed()).rejects.toThrow('killed');
    await add(start + 20 * 60_000);
    await Promise.all([sweepAt(start + 3 * hour), other()]);
    expect((await listBlobs()).length).toBeGreaterThan(1);
    await add(start + 4 * hour);
    const pages: string[][] = [];
    for (let before: string | undefined, more = true; more;) {
      const { items, next } = await read(4, before);
      pages.push(items.map(({ id }) => id));
      before = next;
      more = next !== undefined;
    }
    const ids = pages.flat();
    expect(ids).toHaveLength(22);
    expect(ids).toEqual([...new Set(ids)].toSorted().reverse());
    expect(pages.map((page) => page.length)).toEqual([4, 4, 4, 4, 4, 2]);
  });

  it('deletes blobs after the retention, once all their entries are that old', async () => {
    const { add, sweepAt, read, listBlobs } = await startSweeps({ auditRetentionMs: 30 * day });
    await add(start);
    await sweepAt(start + 2 * hour);
    await add(start + 10 * day);
    await sweepAt(start + 11 * day);
    expect(await listBlobs()).toHaveLength(2);
    await sweepAt(start + 31 * day);
    expect((await read()).items.map(({ at }) => at)).toEqual(['2026-12-05T12:00:00.000Z']);
  });
});
