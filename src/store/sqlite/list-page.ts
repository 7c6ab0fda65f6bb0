import type { SQLInputValue } from 'node:sqlite';
import { apiVersion, type Kind, type StoredObject } from '../../rules/resource.ts';
import { assertListOptions } from '../assert-list-options.ts';
import { invalidPageError } from '../store-errors.ts';
import type { ListOptions, Page } from '../store.ts';
import type { Database } from './database.ts';
import type { AnyObject } from '../any-object.ts';
import { decodePageToken, encodePageToken, type PagePosition } from '../page-token.ts';
import type { SharedObjects } from './shared-objects.ts';
import { historyChangesMax, toKindColumn, type Versions } from './versions.ts';

type Condition = { sql: string; values: SQLInputValue[] };

export function listPage(
  { database, versions, shared }: { database: Database; versions: Versions; shared: SharedObjects },
  kind: Kind<StoredObject>,
  options: ListOptions,
): Page<AnyObject> {
  assertListOptions(options);
  const { limit } = options;
  // Objects of other kinds, such as Secrets, do not stay in memory.
  const isShared = options.consistency === 'cached' && kind.apiVersion === apiVersion;
  const query = JSON.stringify([toKindColumn(kind), options.namespace, options.labels, options.fields]);
  const after = options.continue === undefined ? undefined : decodePageToken(query, options.continue);
  const selected = toConditions(kind, options);

  return database.readTransaction(() => {
    const latest = versions.latestVersion();
    const version = after?.version ?? toVersion(options.at) ?? latest;
    if (!(version <= latest)) throw invalidPageError('the token belongs to another store');
    if (version < latest - historyChangesMax) throw invalidPageError('too much has changed since the previous page');

    const all = [
      ...selected,
      ...snapshotConditions(version, latest),
      ...(after ? [afterPosition(after, options)] : []),
    ];
    const rows = database
      .prepare(
        `SELECT ${isShared ? 'rv' : 'object'} FROM versions WHERE ${all.map(({ sql }) => sql).join(' AND ')} ORDER BY namespace, name LIMIT ?`,
      )
      .all(...all.flatMap(({ values }) => values), limit === undefined ? -1 : limit + 1);

    const items = rows
      .slice(0, limit)
      .map(({ rv, object }) => (isShared ? shared.read(Number(rv)) : (JSON.parse(String(object)) as AnyObject)));
    const last = items.length < rows.length ? items.at(-1)?.metadata : undefined;
    return {
      items,
      resourceVersion: String(version),
      ...(last && { continue: encodePageToken(query, { ...last, version }) }),
    };
  });
}

const toVersion = (at: string | undefined): number | undefined => (at === undefined ? undefined : Number(at));

function toConditions(kind: Kind<StoredObject>, { namespace, labels = {}, fields = {} }: ListOptions): Condition[] {
  return [
    { sql: 'kind = ?', values: [toKindColumn(kind)] },
    ...(namespace === undefined ? [] : [{ sql: 'namespace = ?', values: [namespace] }]),
    ...Object.entries(labels).map(([key, value]) => ({
      sql: `object -> '$."metadata"."labels"."${key}"' = ?`,
      values: [JSON.stringify(value)],
    })),
    ...Object.entries(fields).map(([path, value]) => toFieldCondition(path, value)),
  ];
}

/** Compares values as text: numbers and booleans match their JSON form. */
function toFieldCondition(path: string, value: string): Condition {
  if (path === 'metadata.name') return { sql: 'name = ?', values: [value] };
  const field = `object -> '$.${path
    .split('.')
    .map((part) => `"${part}"`)
    .join('.')}'`;
  // SQLite uses the index of a field only for `=`.
  if (!/^(true|false|-?\d+(\.\d+)?)$/.test(value)) return { sql: `${field} = ?`, values: [JSON.stringify(value)] };
  return { sql: `${field} IN (?, ?)`, values: [JSON.stringify(value), value] };
}

function snapshotConditions(version: number, latest: number): Condition[] {
  if (version === latest) return [{ sql: 'ended IS NULL', values: [] }];
  return [{ sql: 'rv <= ? AND (ended IS NULL OR ended > ?)', values: [version, version] }];
}

/** The shorter condition, for one namespace, lets SQLite seek within its index. */
function afterPosition({ namespace, name }: PagePosition, options: ListOptions): Condition {
  if (options.namespace !== undefined) return { sql: 'name > ?', values: [name] };
  return { sql: '(namespace, name) > (?, ?)', values: [namespace, name] };
}
