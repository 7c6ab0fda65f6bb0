import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  deleteCheckoutFile,
  readCheckoutBytes,
  readCheckoutFile,
  ToolError,
  writeCheckoutFile,
} from '../../../activities/agents/checkout-files.ts';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';

let tree: string;
beforeEach(async () => void (tree = await createFolder({ 'src/a.js': 'one\n' })));

describe('a path in the checkout', () => {
  it.each([
    '/etc/passwd',
    '../out',
    'src/../../out',
    'src//a.js',
    'src/./a.js',
    '',
    'a\0b',
    '.git/config',
    'src/.GIT/x',
  ])('is never %j', async (path) => {
    await expect(readCheckoutBytes(tree, path)).rejects.toThrow(ToolError);
    await expect(writeCheckoutFile(tree, path, 'x')).rejects.toThrow(ToolError);
    await expect(deleteCheckoutFile(tree, path)).rejects.toThrow(ToolError);
  });

  it('leads through no symbolic link, and ends at a regular file', async () => {
    const outside = await createFolder({ 'secret.txt': 'secret' });
    await symlink(outside, join(tree, 'out'));
    await symlink(join(outside, 'secret.txt'), join(tree, 'link'));
    for (const path of ['out/secret.txt', 'link']) {
      await expect(readCheckoutFile(tree, path)).rejects.toThrow('is a symbolic link');
      await expect(writeCheckoutFile(tree, path, 'x')).rejects.toThrow('is a symbolic link');
      await expect(deleteCheckoutFile(tree, path)).rejects.toThrow('is a symbolic link');
    }
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    await expect(readCheckoutFile(tree, 'src')).rejects.toThrow('"src" is not a regular file');
    await expect(readCheckoutFile(tree, 'src/a.js/b')).rejects.toThrow('"src/a.js" is not a folder');
  });
});

it('reads up to 2 MiB', async () => {
  const bytesMax = 2 * 1024 * 1024;
  await writeFile(join(tree, 'max'), Buffer.alloc(bytesMax, 'a'));
  await writeFile(join(tree, 'more'), Buffer.alloc(bytesMax + 1, 'a'));
  expect((await readCheckoutBytes(tree, './max')).length).toBe(bytesMax);
  await expect(readCheckoutBytes(tree, 'more')).rejects.toThrow(`has ${bytesMax + 1} bytes, which is too large`);
});

it('reads only text in UTF-8, and keeps a byte order mark', async () => {
  await writeFile(join(tree, 'marked'), '\ufeffhi');
  expect(await readCheckoutFile(tree, 'marked')).toBe('\ufeffhi');
  for (const bytes of [Buffer.from([0x61, 0]), Buffer.from([0xc3, 0x28])]) {
    await writeFile(join(tree, 'binary'), bytes);
    await expect(readCheckoutFile(tree, 'binary')).rejects.toThrow('is not a text file in UTF-8');
  }
  await expect(readCheckoutFile(tree, 'gone')).rejects.toThrow('The file "gone" does not exist');
});

it('writes a file with its folders, replaces a longer one, and deletes it once', async () => {
  await mkdir(join(tree, 'docs'));
  await writeCheckoutFile(tree, 'docs/new/b.md', 'a long text');
  await writeCheckoutFile(tree, 'docs/new/b.md', 'text');
  expect(await readCheckoutFile(tree, 'docs/new/b.md')).toBe('text');
  await deleteCheckoutFile(tree, 'docs/new/b.md');
  expect(existsSync(join(tree, 'docs/new/b.md'))).toBe(false);
  await expect(deleteCheckoutFile(tree, 'docs/new/b.md')).rejects.toThrow('does not exist');
});

it.each([['a'.repeat(256)], [`${'b'.repeat(256)}/c`]])('tells the agent that a name is too long', async (path) => {
  const violation = await writeCheckoutFile(tree, path, 'x').catch((error: unknown) => error);
  expect(violation).toBeInstanceOf(ToolError);
  expect((violation as Error).message).toBe(
    `"${path}" cannot be changed (ENAMETOOLONG). Use another path, or a command to see why.`,
  );
});
