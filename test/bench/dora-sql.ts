import { DatabaseSync } from 'node:sqlite';
import { toDoraWindow } from '../../src/rules/dora/dora-window.ts';

type Delivery = {
  index: number;
  mergedAt: number;
  at: number;
  isFailed: boolean;
  openedAt?: number;
  resolvedAt?: number;
};

const schema = `
  CREATE TABLE deployments (id INTEGER PRIMARY KEY, at INTEGER, is_failed INTEGER);
  CREATE TABLE changes (id INTEGER PRIMARY KEY, merged_at INTEGER);
  CREATE TABLE incidents (deployment INTEGER, opened_at INTEGER, resolved_at INTEGER);
  CREATE INDEX deployments_at ON deployments (at);
  CREATE INDEX incidents_deployment ON incidents (deployment);
  CREATE INDEX incidents_resolved_at ON incidents (resolved_at);
`;
const medianSql = (values: string): string => `
  WITH ordered AS (
    SELECT seconds, ROW_NUMBER() OVER (ORDER BY seconds) AS place, COUNT(*) OVER () AS total FROM (${values})
  )
  SELECT AVG(seconds) AS value FROM ordered WHERE place IN ((total + 1) / 2, (total + 2) / 2)`;
const queries = {
  frequency: `SELECT COUNT(*) AS value FROM deployments WHERE is_failed = 0 AND at >= ? AND at < ?`,
  failures: `
    SELECT AVG(is_failed OR EXISTS (SELECT 1 FROM incidents WHERE deployment = id)) AS value
    FROM deployments WHERE at >= ? AND at < ?`,
  leadTime: medianSql(`
    WITH healthy AS (
      SELECT id, MIN(CASE WHEN is_failed = 0 THEN at END) OVER (ORDER BY id DESC) AS at FROM deployments
    )
    SELECT (at - merged_at) / 1000.0 AS seconds FROM healthy JOIN changes USING (id) WHERE at >= ? AND at < ?`),
  restore: medianSql(
    `SELECT (resolved_at - opened_at) / 1000.0 AS seconds FROM incidents WHERE resolved_at >= ? AND resolved_at < ?`,
  ),
};

/** Computes the figures with SQL whenever they are asked for. */
export function startSqlBaseline() {
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  const [deployments, changes, incidents] = [
    'INSERT INTO deployments VALUES (?, ?, ?)',
    'INSERT INTO changes VALUES (?, ?)',
    'INSERT INTO incidents VALUES (?, ?, ?)',
  ].map((sql) => database.prepare(sql));
  const select = (name: keyof typeof queries, from: number, to: number): number =>
    Number(database.prepare(queries[name]).get(from, to)?.['value']);
  return {
    add: ({ index, mergedAt, at, isFailed, openedAt, resolvedAt }: Delivery): void => {
      deployments?.run(index, at, Number(isFailed));
      changes?.run(index, mergedAt);
      if (openedAt !== undefined && resolvedAt !== undefined) incidents?.run(index, openedAt, resolvedAt);
    },
    ask: (now: Date, days: number) => {
      const { from, to } = toDoraWindow(now.getTime(), days).current;
      const figures = {
        deploymentFrequency: select('frequency', from, to) / (days / 7),
        leadTime: select('leadTime', from, to),
        changeFailureRate: select('failures', from, to),
        timeToRestore: select('restore', from, to),
      };
      return { figures };
    },
    close: (): void => database.close(),
  };
}
