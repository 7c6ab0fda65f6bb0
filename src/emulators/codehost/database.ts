import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { schema } from './schema.ts';

export type Database = {
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[];
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  run(sql: string, ...values: SQLInputValue[]): void;
  /** Returns the id of the new row. */
  insert(table: string, row: Record<string, SQLInputValue>): number;
  update(table: string, id: number, row: Record<string, SQLInputValue>): void;
  /** Commits all of `work` or nothing. A nested call joins the outer transaction. */
  transaction<Result>(work: () => Result): Result;
  close(): void;
};

/** Any change of the schema increments this version; there are no migrations. */
const schemaVersion = 5;

/** Opens or creates the file. Table and column names are inserted into the SQL as they are, so they must be constants. */
export function openDatabase(path: string): Database {
  const sqlite = new DatabaseSync(path);
  sqlite.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000;',
  );
  ensureSchema(sqlite, path);

  const statements = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  return {
    all: <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).all(...values) as Row[],
    get: <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).get(...values) as Row | undefined,
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
    transaction: (work) => runTransaction(sqlite, work),
    close: () => sqlite.close(),
  };
}

function ensureSchema(sqlite: DatabaseSync, path: string): void {
  const found = Number(sqlite.prepare('PRAGMA user_version').get()?.['user_version']);
  if (found === schemaVersion) return;
  if (found !== 0)
    throw new Error(
      `${path} was written by another version of the code host emulator. Delete or move its folder, or use another data directory.`,
    );
  runTransaction(sqlite, () => sqlite.exec(`${schema} PRAGMA user_version = ${schemaVersion};`));
}

function runTransaction<Result>(sqlite: DatabaseSync, work: () => Result): Result {
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
