import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureSetupToken } from '../../../src/main/api/ensure-setup-token.ts';
import { UserKind } from '../../../src/rules/access/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('writes the same token for every process, and reports whether a root user exists', async () => {
  const store = openTestStore();
  const folder = await createScratchFolder();
  const files = ['one', 'other'].map((name) => join(folder, name));
  const results = await Promise.all(files.map(async (file) => await ensureSetupToken(store, file)));
  const [one, other] = await Promise.all(files.map(async (file) => await readFile(file, 'utf8')));
  expect(one).toMatch(/^[\w-]{32}\n$/);
  expect(other).toBe(one);
  const token = one?.trim();
  expect(results).toEqual([
    { needed: true, token },
    { needed: true, token },
  ]);

  const metadata = { namespace: 'service-system', name: 'root' };
  await store.create(UserKind, { metadata, spec: { email: 'root@example.com', platformAdmin: true } });
  expect(await ensureSetupToken(store, files[0] ?? '')).toEqual({ needed: false, token });
});
