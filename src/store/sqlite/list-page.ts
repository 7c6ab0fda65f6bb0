import type { SQLInputValue } from 'node:sqlite';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { checkList } from '../check-list.ts';
import { unusablePage } from '../refusals.ts';
import type { ListOptions, Page } from '../store.ts';
import type { Database } from './database.ts';
import type { AnyObject } from '../any-object.ts';
import { readPageToken, writePageToken, type Position } from '../page-token.ts';
import { keptChanges, kindColumn, type Versions } from './versions.ts';

type Condition = { sql: string; values: SQLInputValue[] };

export function listPage(
  { database, versions }: { database: Database; versions: Versions },
  kind: Kind<StoredObject>,
  options: ListOptions,
): Page<AnyObject> {
  checkList(options);
  const { limit } = options;
  const query = JSON.stringify([kindColumn(kind), options.namespace, options.labels, options.fields]);
  const after = options.continue === undefined ? undefined : readPageToken(query, options.continue);
  const selected = conditions(kind, options);

  return database.read(() => {
    const latest = versions.latest();
    const rv = after?.rv ?? latest;
    if (rv > latest) throw unusablePage('its token is not one of this store');
    if (rv < latest - keptChanges) throw unusablePage('too much has changed since the page before');

    const all = [...selected, ...snapshot(rv, latest), ...(after ? [behind(after, options)] : [])];
    const rows = database
      .sql(
        `SELECT object FROM versions WHERE ${all.map(({ sql }) => sql).join(' AND ')} ORDER BY namespace, name LIMIT ?`,
      )
      .all(...all.flatMap(({ values }) => values), limit === undefined ? -1 : limit + 1);

    const items = rows.slice(0, limit).map((row) => JSON.parse(String(row['object'])) as AnyObject);
    const last = items.length < rows.length ? items.at(-1)?.metadata : undefined;
    return { items, resourceVersion: String(rv), ...(last && { continue: writePageToken(query, { ...last, rv }) }) };
  });
}

function conditions(kind: Kind<StoredObject>, { namespace, labels = {}, fields = {} }: ListOptions): Condition[] {
  return [
    { sql: 'kind = ?', values: [kindColumn(kind)] },
    ...(namespace === undefined ? [] : [{ sql: 'namespace = ?', values: [namespace] }]),
    ...Object.entries(labels).map(([key, value]) => ({
      sql: `object -> '$."metadata"."labels"."${key}"' = ?`,
      values: [JSON.stringify(value)],
    })),
    ...Object.entries(fields).map(([path, value]) => fieldCondition(path, value)),
  ];
}

/** Compares as text: a number or a boolean is what it looks like in JSON. */
function fieldCondition(path: string, value: string): Condition {
  if (path === 'metadata.name') return { sql: 'name = ?', values: [value] };
  const field = `object -> '$.${path
    .split('.')
    .map((part) => `"${part}"`)
    .join('.')}'`;
  // Only `=` is served by the index of a field.
  if (!/^(true|false|-?\d+(\.\d+)?)$/.test(value)) return { sql: `${field} = ?`, values: [JSON.stringify(value)] };
  return { sql: `${field} IN (?, ?)`, values: [JSON.stringify(value), value] };
}

function snapshot(rv: number, latest: number): Condition[] {
  if (rv === latest) return [{ sql: 'ended IS NULL', values: [] }];
  return [{ sql: 'rv <= ? AND (ended IS NULL OR ended > ?)', values: [rv, rv] }];
}

/** With the namespace given, the shorter condition lets SQLite start in the middle of its index. */
function behind({ namespace, name }: Position, options: ListOptions): Condition {
  if (options.namespace !== undefined) return { sql: 'name > ?', values: [name] };
  return { sql: '(namespace, name) > (?, ?)', values: [namespace, name] };
}
