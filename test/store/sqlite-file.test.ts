import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { ProbeKind } from '../contracts/store/probe.ts';
import { temporaryFile } from './temporary-file.ts';

function refusedWith(file: string): string {
  let refused: unknown;
  try {
    openSqliteStore({ file });
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({ name: 'ServiceError', code: 'unavailable' });
  return (refused as Error).message;
}

it('says that a file is not a database, and leaves it as it is', async () => {
  const file = await temporaryFile();
  await writeFile(file, 'something else entirely\n'.repeat(400));
  expect(refusedWith(file)).toBe(
    `The store ${file} is not a database. Restore a backup, or move it away to start with an empty store.`,
  );
  expect(await readFile(file, 'utf8')).toBe('something else entirely\n'.repeat(400));
});

it('says that a database is damaged', async () => {
  const file = await temporaryFile();
  await openSqliteStore({ file }).close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, 100));
  expect(refusedWith(file)).toBe(
    `The store ${file} is damaged. Restore a backup, or move it away to start with an empty store.`,
  );
});

it('says that the database is of a newer version', async () => {
  const file = await temporaryFile();
  await openSqliteStore({ file }).close();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA user_version = 99');
  database.close();
  expect(refusedWith(file)).toMatch(
    /^The store .* has schema 99 and this version knows schemas up to \d+\. Start the newer version again\.$/,
  );
});

it('says that the database is of another program', async () => {
  const file = await temporaryFile();
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE theirs (a)');
  database.close();
  expect(refusedWith(file)).toBe(`The store ${file} is another program's database. Choose another data directory.`);
});

it('says that the directory is not there', async () => {
  const file = await temporaryFile();
  expect(refusedWith(path.join(file, 'nowhere', 'store.db'))).toMatch(
    / cannot be opened\. Make sure that its directory exists/,
  );
});

it('starts empty on an empty file', async () => {
  const file = await temporaryFile();
  await writeFile(file, '');
  const store = openSqliteStore({ file });
  expect(await store.list(ProbeKind)).toEqual({ items: [], resourceVersion: '0' });
  await store.close();
});
