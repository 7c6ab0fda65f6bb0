import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ServiceError } from '../../errors.ts';
import { applicationId, migrations } from './schema.ts';

export type Database = {
  /** A prepared statement, kept for the next call with the same text. */
  sql: (text: string) => StatementSync;
  /** One transaction that holds the write lock of all processes from its first read on. */
  write: <T>(work: () => T) => T;
  /** Several reads of one and the same state. */
  read: <T>(work: () => T) => T;
  close: () => void;
};

/** Longer than any write of another process takes; a wait that long means that process hangs in a transaction. */
const busyTimeoutMs = 10_000;

/** SQLite's result codes that say something about the file (https://sqlite.org/rescode.html). */
const sqliteBusy = 5;
const fileFaults: Record<number, string> = {
  8: 'is read-only. Make it and its directory writable',
  11: 'is damaged. Restore a backup, or move it away to start with an empty store',
  13: 'is on a full disk. Free some space',
  14: 'cannot be opened. Make sure that its directory exists and can be written',
  26: 'is not a database. Restore a backup, or move it away to start with an empty store',
};

/** Opens the file, makes it when there is none, and brings it to the schema of this version. */
export function openDatabase(file: string): Database {
  try {
    // It holds secrets: nobody else on the machine may read it. SQLite gives its other files the same mode.
    if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600));
    const connection = new DatabaseSync(file, { timeout: busyTimeoutMs });
    try {
      prepareFile(connection, file);
    } catch (error) {
      connection.close();
      throw error;
    }
    return asDatabase(connection);
  } catch (error) {
    throw aboutTheFile(file, error);
  }
}

function prepareFile(connection: DatabaseSync, file: string): void {
  refuseForeign(connection, file);
  useWriteAheadLog(connection);
  connection.exec('PRAGMA synchronous = NORMAL');
  if (pragma(connection, 'user_version') === migrations.length) return;
  inTransaction(connection, 'BEGIN IMMEDIATE', () => {
    // Another process may have done it while this one waited for the lock.
    refuseForeign(connection, file);
    for (const migration of migrations.slice(pragma(connection, 'user_version'))) connection.exec(migration);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
  });
}

function refuseForeign(connection: DatabaseSync, file: string): void {
  const empty = connection.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (empty) return;
  if (pragma(connection, 'application_id') !== applicationId) {
    throw new ServiceError(
      'unavailable',
      `The store ${file} is another program's database. Choose another data directory.`,
    );
  }
  const version = pragma(connection, 'user_version');
  if (version > migrations.length) {
    throw new ServiceError(
      'unavailable',
      `The store ${file} has schema ${version} and this version knows schemas up to ${migrations.length}. Start the newer version again.`,
    );
  }
}

/** SQLite does not wait for other processes by its own timeout when it changes the journal of a new file. */
function useWriteAheadLog(connection: DatabaseSync): void {
  const deadline = Date.now() + busyTimeoutMs;
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (resultCode(error) !== sqliteBusy || Date.now() > deadline) throw error;
    }
  }
}

function pragma(connection: DatabaseSync, name: string): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function asDatabase(connection: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  return {
    sql: (text) => {
      const kept = statements.get(text);
      if (kept) return kept;
      // Selectors become part of the text; the bound keeps odd callers from filling the memory.
      if (statements.size >= 500) statements.clear();
      const statement = connection.prepare(text);
      statements.set(text, statement);
      return statement;
    },
    write: (work) => inTransaction(connection, 'BEGIN IMMEDIATE', work),
    read: (work) => inTransaction(connection, 'BEGIN', work),
    close: () => {
      if (connection.isOpen) connection.close();
    },
  };
}

function inTransaction<T>(connection: DatabaseSync, begin: string, work: () => T): T {
  connection.exec(begin);
  try {
    const result = work();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** The low byte; the rest only refines it. */
function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

function aboutTheFile(file: string, error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const systemCode = error instanceof Error && 'syscall' in error ? 14 : undefined;
  const fault = fileFaults[resultCode(error) ?? systemCode ?? 0];
  return fault ? new ServiceError('unavailable', `The store ${file} ${fault}.`) : error;
}
