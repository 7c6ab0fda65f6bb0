import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { ProbeKind } from '../../contracts/store/probe.ts';
import { createTemporaryFile } from '../create-temporary-file.ts';

function openError(file: string): string {
  let thrown: unknown;
  try {
    openSqliteStore({ file });
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ name: 'ServiceError', reason: 'store-unusable', code: 'unavailable' });
  return (thrown as Error).message;
}

it('reports a file that is not a database, and leaves it unchanged', async () => {
  const file = await createTemporaryFile();
  await writeFile(file, 'something else entirely\n'.repeat(400));
  expect(openError(file)).toBe(
    `The store ${file} is not a database. Restore a backup, or move it away to start with an empty store.`,
  );
  expect(await readFile(file, 'utf8')).toBe('something else entirely\n'.repeat(400));
});

it('reports a damaged database', async () => {
  const file = await createTemporaryFile();
  await openSqliteStore({ file }).close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, 100));
  expect(openError(file)).toBe(
    `The store ${file} is damaged. Restore a backup, or move it away to start with an empty store.`,
  );
});

it('reports a database with a newer schema', async () => {
  const file = await createTemporaryFile();
  await openSqliteStore({ file }).close();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA user_version = 99');
  database.close();
  expect(openError(file)).toMatch(
    /^The store .* has schema 99, but this version supports schemas up to \d+\. Start the newer version again\.$/,
  );
});

it('reports a database of another program', async () => {
  const file = await createTemporaryFile();
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE theirs (a)');
  database.close();
  expect(openError(file)).toBe(`The store ${file} belongs to another program. Choose another data directory.`);
});

it('reports a missing directory', async () => {
  const file = await createTemporaryFile();
  expect(openError(path.join(file, 'nowhere', 'store.db'))).toMatch(
    / cannot be opened\. Make sure that its directory exists/,
  );
});

it('starts empty on an empty file', async () => {
  const file = await createTemporaryFile();
  await writeFile(file, '');
  const store = openSqliteStore({ file });
  expect(await store.list(ProbeKind)).toEqual({ items: [], resourceVersion: '0' });
  await store.close();
});

it('reports a full disk when it writes, undoes the write, and goes on with new space', () => {
  const database = openDatabase(':memory:');
  const setPagesMax = (pages: number): unknown => database.prepare(`PRAGMA max_page_count = ${pages}`).get();
  const write = (): unknown =>
    database.writeTransaction(() => database.prepare('INSERT INTO notes VALUES (zeroblob(65536))').run());
  database.prepare('CREATE TABLE notes (text)').run();
  // SQLite reports the limit of pages like a disk without space.
  setPagesMax(1);
  const reason = { reason: 'store-unusable', message: 'The store is on a full disk. Free some space.' };
  expect(write).toThrow(expect.objectContaining(reason));
  expect(database.prepare('SELECT * FROM notes').all()).toEqual([]);
  setPagesMax(1_000);
  write();
  expect(database.prepare('SELECT * FROM notes').all()).toHaveLength(1);
  database.close();
});
