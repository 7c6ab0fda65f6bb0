import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ServiceError } from '../../errors.ts';
import { applicationId, migrations } from './schema.ts';

export type Database = {
  /** Prepares a statement and caches it by its text. */
  prepare: (text: string) => StatementSync;
  /** Runs one transaction that holds the write lock across all processes from its first read. */
  writeTransaction: <T>(work: () => T) => T;
  /** Runs several reads on the same snapshot. */
  readTransaction: <T>(work: () => T) => T;
  close: () => void;
};

/** No write takes this long, so a longer wait means that another process hangs in a transaction. */
const busyTimeoutMs = 10_000;

/** Result codes of SQLite that concern the file (https://sqlite.org/rescode.html). */
const sqliteBusy = 5;
const fileErrors: Record<number, string> = {
  8: 'is read-only. Make it and its directory writable',
  11: 'is damaged. Restore a backup, or move it away to start with an empty store',
  13: 'is on a full disk. Free some space',
  14: 'cannot be opened. Make sure that its directory exists and can be written',
  26: 'is not a database. Restore a backup, or move it away to start with an empty store',
};

/** Opens the file, creates it when it is missing, and migrates it to the current schema. */
export function openDatabase(file: string): Database {
  try {
    // The file holds secrets, so only its owner may read it. SQLite gives its other files the same mode.
    if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600));
    const connection = new DatabaseSync(file, { timeout: busyTimeoutMs });
    try {
      prepareFile(connection, file);
    } catch (error) {
      connection.close();
      throw error;
    }
    return toDatabase(connection);
  } catch (error) {
    throw toFileError(`The store ${file}`, error);
  }
}

function prepareFile(connection: DatabaseSync, file: string): void {
  assertOwnDatabase(connection, file);
  enableWriteAheadLog(connection);
  connection.exec('PRAGMA synchronous = NORMAL');
  if (readPragma(connection, 'user_version') === migrations.length) return;
  inTransaction(connection, 'BEGIN IMMEDIATE', () => {
    // Another process may have migrated the file while this one waited for the lock.
    assertOwnDatabase(connection, file);
    for (const migration of migrations.slice(readPragma(connection, 'user_version'))) connection.exec(migration);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
  });
}

function assertOwnDatabase(connection: DatabaseSync, file: string): void {
  const empty = connection.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (empty) return;
  if (readPragma(connection, 'application_id') !== applicationId) {
    throw new ServiceError(
      'store-unusable',
      `The store ${file} belongs to another program. Choose another data directory.`,
    );
  }
  const version = readPragma(connection, 'user_version');
  if (version > migrations.length) {
    throw new ServiceError(
      'store-unusable',
      `The store ${file} has schema ${version}, but this version supports schemas up to ${migrations.length}. Start the newer version again.`,
    );
  }
}

/** SQLite ignores its busy timeout while the journal mode of a new file changes, so the call is repeated here. */
function enableWriteAheadLog(connection: DatabaseSync): void {
  const deadline = Date.now() + busyTimeoutMs;
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (findResultCode(error) !== sqliteBusy || Date.now() > deadline) throw error;
    }
  }
}

function readPragma(connection: DatabaseSync, name: string): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function toDatabase(connection: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  return {
    prepare: (text) => {
      const cached = statements.get(text);
      if (cached) return cached;
      // Selectors become part of the text, so the number of statements has no natural bound.
      if (statements.size >= 500) statements.clear();
      const statement = connection.prepare(text);
      statements.set(text, statement);
      return statement;
    },
    writeTransaction: (work) => {
      try {
        return inTransaction(connection, 'BEGIN IMMEDIATE', work);
      } catch (error) {
        // The error may reach a client, who has no use for the path.
        throw toFileError('The store', error);
      }
    },
    readTransaction: (work) => inTransaction(connection, 'BEGIN', work),
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

/** Returns the low byte, which is the primary result code. */
function findResultCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

function toFileError(store: string, error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const systemCode = error instanceof Error && 'syscall' in error ? 14 : undefined;
  const fault = fileErrors[findResultCode(error) ?? systemCode ?? 0];
  return fault ? new ServiceError('store-unusable', `${store} ${fault}.`) : error;
}
