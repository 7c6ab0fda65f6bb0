import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { ignoreNotFound } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { readSecretText, SecretKind, toSecretData, type Secret } from '../../src/kinds/kubernetes.ts';
import { boundEntry } from '../../src/rules/audit/bound-entry.ts';
import type { AuditEntry } from '../../src/rules/audit/entry.ts';
import { parseSegmentKey, scopePrefix, segmentKey, type Segment } from '../../src/rules/audit/segment.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { deleteUnlessChanged } from '../../src/store/delete-unless-changed.ts';
import type { Store } from '../../src/store/store.ts';

/** Entries of the last hours are Secrets, because only the API may write the Secrets of the installation's namespace. */
const entryLabels = { 'service.delivery/audit-entry': 'true' };
const scopeLabel = 'service.delivery/audit-scope';

/** The scope of changes of no org. That of an org is its uid, because a later org may have its name. */
export const installationScope = 'installation';

type Deps = { store: Store; blobs: Blobs };
/** An entry in the store, which can be completed. */
export type StoredEntry = { secret: Secret; entry: AuditEntry };

export async function createEntry(store: Store, scope: string, entry: AuditEntry): Promise<StoredEntry> {
  const metadata = {
    namespace: systemNamespace,
    name: `audit-${entry.id}`,
    labels: { ...entryLabels, [scopeLabel]: scope },
  };
  const secret = await store.create(SecretKind, { metadata, type: 'Opaque', data: toEntryData(entry) });
  return { secret, entry };
}

export async function completeEntry(store: Store, { secret }: StoredEntry, entry: AuditEntry): Promise<void> {
  await store.replace(SecretKind, { ...secret, data: toEntryData(entry) });
}

/** Deletes the entry of a request that was refused and wrote nothing. */
export const discardEntry = async (store: Store, { secret }: StoredEntry): Promise<void> =>
  store.delete(SecretKind, secret.metadata).catch(ignoreNotFound);

const toEntryData = (entry: AuditEntry): Record<string, string> =>
  toSecretData({ entry: JSON.stringify(boundEntry(entry)) });

/** Lists the entries in the store, by scope. */
export async function listStoredEntries(store: Store, scope?: string): Promise<Map<string, StoredEntry[]>> {
  const labels = { ...entryLabels, ...(scope !== undefined && { [scopeLabel]: scope }) };
  const { items } = await store.list(SecretKind, { namespace: systemNamespace, labels });
  const entries = items.flatMap((secret) => {
    const text = readSecretText(secret, 'entry');
    const owner = secret.metadata.labels?.[scopeLabel];
    return text === undefined || owner === undefined ? [] : [{ owner, secret, entry: JSON.parse(text) as AuditEntry }];
  });
  return Map.groupBy(entries, ({ owner }) => owner);
}

export async function listSegments(blobs: Blobs, prefix: string): Promise<Segment[]> {
  return (await blobs.list(prefix)).flatMap((key) => parseSegmentKey(key) ?? []);
}

/** Moves entries of one scope from the store to a blob. A repetition after a crash writes the same entries once more. */
export async function archiveEntries({ store, blobs }: Deps, scope: string, stored: StoredEntry[]): Promise<void> {
  const entries = stored.map(({ entry }) => entry).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const [first, last] = [entries.at(0)?.id, entries.at(-1)?.id];
  if (first === undefined || last === undefined) return;
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const key = segmentKey(scope, { first, last }, hash('sha256', text).slice(0, 16));
  await blobs.put(key, await promisify(gzip)(text));
  // Other replicas may do the same, and an entry that was completed meanwhile is archived again.
  for (const { secret } of stored) await deleteUnlessChanged(store, SecretKind, secret);
}

async function readSegment(blobs: Blobs, key: string): Promise<AuditEntry[]> {
  const bytes = await blobs.find(key);
  // Retention deletes segments while they are listed.
  if (!bytes) return [];
  const text = (await promisify(gunzip)(bytes)).toString();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AuditEntry]));
}

type Slice = {
  /** Only entries with smaller ids. */
  before?: string | undefined;
  /** Only entries with this id or greater ones. */
  from?: string | undefined;
  limit: number;
  matches: (entry: AuditEntry) => boolean;
};

/** Bounds the cost of a page whose condition few entries meet. */
const segmentsPerPage = 100;

/**
 * Reads entries, newest first. `next` is the `before` of the next page, and absent when there is none; a page may have
 * fewer entries than the limit, or none, before the last one.
 */
export async function readEntries(
  { store, blobs }: Deps,
  scope: string,
  { before, from, limit, matches }: Slice,
): Promise<{ items: AuditEntry[]; next?: string }> {
  const isInRange = ({ id }: AuditEntry): boolean =>
    (before === undefined || id < before) && (from === undefined || id >= from);
  const pool = new Map<string, AuditEntry>();
  const add = (entries: AuditEntry[]): void => {
    for (const entry of entries.filter(isInRange))
      // An entry may have been archived by a replica before it was completed.
      if (!pool.has(entry.id) || entry.result !== 'unknown') pool.set(entry.id, entry);
  };
  // The store is read first: an entry that leaves it meanwhile is already in a blob.
  const stored = await listStoredEntries(store, scope);
  add((stored.get(scope) ?? []).map(({ entry }) => entry));
  const segments = (await listSegments(blobs, scopePrefix(scope)))
    .filter(({ first, last }) => (before === undefined || first < before) && (from === undefined || last >= from))
    .toSorted((one, other) => (one.last < other.last ? 1 : -1));
  const items: AuditEntry[] = [];
  for (let read = 0; ; read += 1) {
    const unread = segments[read];
    // Segments that are not read yet hold nothing newer than the last entry of the first of them.
    for (const entry of takeNewest(pool, unread?.last)) {
      if (matches(entry)) items.push(entry);
      const isLast = !unread && pool.size === 0;
      if (items.length === limit) return isLast ? { items } : { items, next: entry.id };
    }
    if (!unread) return { items };
    if (read === segmentsPerPage) return { items, next: `${unread.last}~` };
    add(await readSegment(blobs, unread.key));
  }
}

/** Yields the entries that are newer than the given id, newest first, and removes them. */
function* takeNewest(pool: Map<string, AuditEntry>, after: string | undefined): Generator<AuditEntry> {
  const ids = [...pool.keys()].filter((id) => after === undefined || id > after).toSorted();
  for (const id of ids.reverse()) {
    const entry = pool.get(id);
    pool.delete(id);
    if (entry) yield entry;
  }
}
