import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/emulators/codehost/database.ts';
import { createFolder } from './codehost-fixture.ts';

it('creates the schema and keeps the rows when it is opened again', async () => {
  const path = join(await createFolder(), 'codehost.sqlite');
  const first = openDatabase(path);
  first.insert('accounts', { login: 'acme', type: 'Organization', createdAt: '2026-01-01' });
  first.close();
  const second = openDatabase(path);
  expect(second.all('SELECT login FROM accounts')).toMatchObject([{ login: 'acme' }]);
  expect(second.all('SELECT * FROM issueEvents')).toEqual([]);
  second.close();
});

it('rejects a file of another schema version with the fix', async () => {
  const path = join(await createFolder(), 'codehost.sqlite');
  const other = new DatabaseSync(path);
  other.exec('PRAGMA user_version = 1;');
  other.close();
  expect(() => openDatabase(path)).toThrow(
    `${path} was written by another version of the code host emulator. Delete or move its folder, or use another data directory.`,
  );
});

it('rolls back a failed transaction', async () => {
  const database = openDatabase(join(await createFolder(), 'codehost.sqlite'));
  const insertAndFail = (): void => {
    database.insert('accounts', { login: 'acme', type: 'Organization', createdAt: '2026-01-01' });
    throw new Error('failed');
  };
  expect(() => database.transaction(insertAndFail)).toThrow('failed');
  expect(database.all('SELECT login FROM accounts')).toEqual([]);
  database.close();
});
