import { lstat, mkdir, open, readlink, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';

/** What is wrong with a tool call, for the agent to read; never a failure of the turn. */
export class ToolProblem extends Error {}

const readBytesMax = 2 * 1024 * 1024;

/**
 * A file's place on this host. Each part of the path is looked at, since what ran in the checkout may have left links
 * that lead out of it; nothing else is running there while we look.
 */
async function place(tree: string, path: string): Promise<string> {
  const parts = path.replace(/^\.\//, '').split('/');
  if (path.startsWith('/') || path.includes('\0') || parts.some((part) => ['', '.', '..'].includes(part))) {
    throw new ToolProblem(`"${path}" is not a path in the checkout: use one such as src/index.js.`);
  }
  if (parts.some((part) => part.toLowerCase() === '.git')) throw new ToolProblem('The git folder is not for tools.');
  for (const index of parts.keys()) {
    const problem = await problemOf(tree, parts.slice(0, index + 1).join('/'), index === parts.length - 1);
    if (problem) throw new ToolProblem(problem);
  }
  return join(tree, ...parts);
}

async function problemOf(tree: string, path: string, isLast: boolean): Promise<string | undefined> {
  const found = await lstat(join(tree, path)).catch(() => undefined);
  if (!found) return undefined;
  if (found.isSymbolicLink()) {
    return `"${path}" is a symbolic link to "${await readlink(join(tree, path))}": use the file itself.`;
  }
  if (isLast) return found.isFile() ? undefined : `"${path}" is not a regular file.`;
  return found.isDirectory() ? undefined : `"${path}" is not a folder.`;
}

/** Only whole text: what could not be written back as it was would be spoilt by an edit. */
export async function readCheckoutFile(tree: string, path: string): Promise<string> {
  const bytes = await readCheckoutBytes(tree, path);
  const problem = new ToolProblem(`"${path}" is not a text file in UTF-8: look at it with a command.`);
  if (bytes.includes(0)) throw problem;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw problem;
  }
}

export async function readCheckoutBytes(tree: string, path: string): Promise<Buffer> {
  const target = await place(tree, path);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await open(target, flags).catch(() => {
    throw new ToolProblem(`There is no file "${path}".`);
  });
  const { size } = await file.stat();
  if (size > readBytesMax) throw new ToolProblem(`"${path}" has ${size} bytes, more than can be read: search in it.`);
  return await file.readFile();
}

export async function writeCheckoutFile(tree: string, path: string, content: string): Promise<void> {
  const target = await place(tree, path);
  await mkdir(dirname(target), { recursive: true });
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  await writeFile(target, content, { flag: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW });
}

export async function deleteCheckoutFile(tree: string, path: string): Promise<void> {
  const target = await place(tree, path);
  if (!(await lstat(target).catch(() => undefined))) throw new ToolProblem(`There is no file "${path}".`);
  await rm(target);
}
