import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { additions, schema } from './schema.ts';

export type Database = {
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[];
  one<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  run(sql: string, ...values: SQLInputValue[]): void;
  /** Answers the new row's id. */
  insert(table: string, row: Record<string, SQLInputValue>): number;
  update(table: string, id: number, row: Record<string, SQLInputValue>): void;
  /** All of `work` or nothing; joins the transaction it is called in. */
  transaction<Result>(work: () => Result): Result;
  close(): void;
};

const version = 2;

/** Opens the file or makes it; table and column names given to `insert` and `update` are the caller's own words. */
export function openDatabase(path: string): Database {
  const sqlite = new DatabaseSync(path);
  sqlite.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000;',
  );
  prepareSchema(sqlite, path);

  const statements = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  return {
    all: <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).all(...values) as Row[],
    one: <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).get(...values) as Row | undefined,
    run: (sql, ...values) => void statement(sql).run(...values),
    insert: (table, row) => {
      const columns = Object.keys(row);
      const places = columns.map(() => '?').join(', ');
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
      return Number(statement(sql).run(...Object.values(row)).lastInsertRowid);
    },
    update: (table, id, row) => {
      const columns = Object.keys(row).map((column) => `${column} = ?`);
      if (columns.length > 0)
        statement(`UPDATE ${table} SET ${columns.join(', ')} WHERE id = ?`).run(...Object.values(row), id);
    },
    transaction: (work) => transaction(sqlite, work),
    close: () => sqlite.close(),
  };
}

function prepareSchema(sqlite: DatabaseSync, path: string): void {
  const found = Number(sqlite.prepare('PRAGMA user_version').get()?.['user_version']);
  if (found === version) return;
  if (found > version)
    throw new Error(
      `${path} was written by another version of the code host stand-in: move it away or use another data directory.`,
    );
  const added = Object.entries(additions).flatMap(([since, sql]) => (Number(since) > found ? [sql] : []));
  const missing = [...(found === 0 ? [schema] : []), ...added].join('');
  transaction(sqlite, () => sqlite.exec(`${missing} PRAGMA user_version = ${version};`));
}

function transaction<Result>(sqlite: DatabaseSync, work: () => Result): Result {
  if (sqlite.isTransaction) return work();
  sqlite.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    sqlite.exec('COMMIT');
    return result;
  } catch (error) {
    sqlite.exec('ROLLBACK');
    throw error;
  }
}
