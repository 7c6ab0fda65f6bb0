import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compare } from 'bcryptjs';
import { expect, it } from 'vitest';
import { createMetricsCredentials } from '../../../src/main/metrics/create-credentials.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('creates another password at each start, in files that only their owner can read', async () => {
  const folder = join(await createScratchFolder(), 'metrics');
  const first = await createMetricsCredentials(folder);
  const second = await createMetricsCredentials(folder);
  expect(first.authorization).not.toBe(second.authorization);
  const password = await readFile(second.passwordFile, 'utf8');
  expect(password).toMatch(/^[\w-]{43}$/);
  expect(await readFile(second.basicAuthFile, 'utf8')).toBe(`owner:${password}`);
  const web = JSON.parse(await readFile(second.webConfigFile, 'utf8')) as { basic_auth_users: { owner: string } };
  expect(await compare(password, web.basic_auth_users.owner)).toBe(true);
  for (const file of [second.passwordFile, second.basicAuthFile, second.webConfigFile])
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});
