import type { Blobs } from '../../integrations/blobs/blobs.ts';
import { archiveEntries, listSegments, listStoredEntries } from '../../../api/audit/audit-log.ts';
import { toEntryTime } from '../../rules/audit/entry-id.ts';
import { auditBlobPrefix } from '../../rules/audit/segment.ts';
import type { Store } from '../../store/store.ts';

const minuteMs = 60_000;
/** Entries stay in the store for this time, so that an org has at most one segment per hour unless it changes much. */
const storedMs = 60 * minuteMs;
/** Bounds the store: an org with more entries than this is archived at once. */
const storedEntriesMax = 500;
/** Requests end within this time, so that an older entry without a result never gets one. */
const requestMs = 2 * minuteMs;
/** Listing all segments of a bucket is costly. */
const expiryIntervalMs = 24 * 60 * minuteMs;

/** Bounds what the store holds beyond that: the entries of this time. */
export const auditSweepIntervalMs = 10 * minuteMs;

type Deps = { store: Store; blobs: Blobs; now: () => Date; auditRetentionMs: number };

/** Returns the sweep that moves entries of the audit log from the store to blobs, and deletes those that are too old. */
export function createAuditSweep({ store, blobs, now, auditRetentionMs }: Deps): () => Promise<void> {
  let expireAt = 0;
  return async () => {
    const nowMs = now().getTime();
    const isOlder = (at: string, ageMs: number): boolean => nowMs - Date.parse(at) > ageMs;
    for (const [scope, stored] of await listStoredEntries(store)) {
      const ended = stored.filter(
        ({ entry }) => isOlder(entry.at, requestMs) && (entry.result !== 'unknown' || isOlder(entry.at, storedMs)),
      );
      if (stored.length > storedEntriesMax || ended.some(({ entry }) => isOlder(entry.at, storedMs)))
        await archiveEntries({ store, blobs }, scope, ended);
    }
    if (nowMs < expireAt) return;
    const oldest = toEntryTime(new Date(nowMs - auditRetentionMs));
    for (const { key, last } of await listSegments(blobs, auditBlobPrefix))
      if (last < oldest) await blobs.deletePrefix(key);
    expireAt = nowMs + expiryIntervalMs;
  };
}
