import type { SQLOutputValue } from 'node:sqlite';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { WatchExpiredError, type WatchEvent, type WatchOptions } from '../store.ts';
import type { Database } from './database.ts';
import type { AnyObject } from '../any-object.ts';
import { historyChangesMax, toKindColumn, type Versions } from './versions.ts';

/** Limits the memory of a watch that starts at an old version. */
const changesPerRead = 100;

type Changes = { events: WatchEvent<AnyObject>[]; upTo: number };

/** Returns the changes after `version`, and the version up to which they are complete. */
export function listChangesAfter(
  { database, versions }: { database: Database; versions: Versions },
  kind: Kind<StoredObject>,
  { version, namespace, name, labels }: Pick<WatchOptions, 'namespace' | 'name' | 'labels'> & { version: number },
): Changes {
  return database.readTransaction(() => {
    const latest = versions.latestVersion();
    if (!(version >= latest - historyChangesMax && version <= latest)) {
      throw new WatchExpiredError(
        `Version ${version} of ${kind.plural} is no longer kept. List again and watch from the new version.`,
      );
    }
    // The unary plus stops SQLite from using the index by kind, which would read and sort the whole history.
    const rows = database
      .prepare(
        `SELECT rv, change, object, iif(?, (SELECT object -> '$.metadata.labels' FROM versions AS before
                                             WHERE before.ended = after.rv AND before.rv < after.rv), NULL) AS labels
         FROM versions AS after
         WHERE rv > ? AND +kind = ? AND +namespace = ifnull(?, namespace) AND +name = ifnull(?, name)
         ORDER BY rv LIMIT ?`,
      )
      .all(labels ? 1 : 0, version, toKindColumn(kind), namespace ?? null, name ?? null, changesPerRead);
    const last = rows.at(-1);
    const upTo = last && rows.length === changesPerRead ? Number(last['rv']) : latest;
    return { upTo, events: rows.flatMap((row) => toEvents(row, labels)) };
  });
}

/** An object that starts to match the labels is reported as added, and one that stops matching as deleted. */
function toEvents(row: Record<string, SQLOutputValue>, labels: Record<string, string> = {}): WatchEvent<AnyObject>[] {
  const object = JSON.parse(String(row['object'])) as AnyObject;
  const change = row['change'] as WatchEvent<AnyObject>['type'];
  const before =
    change !== 'ADDED' && matchesLabels(JSON.parse(String(row['labels'] ?? '{}')) as Record<string, string>, labels);
  const after = change !== 'DELETED' && matchesLabels(object.metadata.labels, labels);
  if (before && after) return [{ type: 'MODIFIED', object }];
  if (after) return [{ type: 'ADDED', object }];
  return before ? [{ type: 'DELETED', object }] : [];
}

function matchesLabels(actual: Record<string, string> = {}, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([key, value]) => actual[key] === value);
}
