import { lstat, mkdir, open, readlink, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';

/** An error in a tool call, which the agent receives as the result; it never fails the turn. */
export class ToolError extends Error {}

const readBytesMax = 2 * 1024 * 1024;

/**
 * Resolves a path in the checkout to a path on this host. Every part of the path is checked, because a command may have
 * created symbolic links to files outside; no command runs while the tools access files.
 */
async function resolveCheckoutPath(tree: string, path: string): Promise<string> {
  const parts = path.replace(/^\.\//, '').split('/');
  if (path.startsWith('/') || path.includes('\0') || parts.some((part) => ['', '.', '..'].includes(part))) {
    throw new ToolError(`"${path}" is not a path in the checkout. Use a relative path such as src/index.js.`);
  }
  if (parts.some((part) => part.toLowerCase() === '.git')) throw new ToolError('Tools cannot access the .git folder.');
  for (const index of parts.keys()) {
    const violation = await pathViolation(tree, parts.slice(0, index + 1).join('/'), index === parts.length - 1);
    if (violation) throw new ToolError(violation);
  }
  return join(tree, ...parts);
}

async function pathViolation(tree: string, path: string, isLast: boolean): Promise<string | undefined> {
  const stats = await lstat(join(tree, path)).catch(() => undefined);
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) {
    return `"${path}" is a symbolic link to "${await readlink(join(tree, path))}". Use the file itself.`;
  }
  if (isLast) return stats.isFile() ? undefined : `"${path}" is not a regular file.`;
  return stats.isDirectory() ? undefined : `"${path}" is not a folder.`;
}

/** Reads only valid UTF-8, because an edit could not write any other content back unchanged. */
export async function readCheckoutFile(tree: string, path: string): Promise<string> {
  const bytes = await readCheckoutBytes(tree, path);
  const notText = new ToolError(`"${path}" is not a text file in UTF-8. Use a command to look at it.`);
  if (bytes.includes(0)) throw notText;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText;
  }
}

export async function readCheckoutBytes(tree: string, path: string): Promise<Buffer> {
  const target = await resolveCheckoutPath(tree, path);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await open(target, flags).catch(() => {
    throw new ToolError(`The file "${path}" does not exist.`);
  });
  const { size } = await file.stat();
  if (size > readBytesMax)
    throw new ToolError(`"${path}" has ${size} bytes, which is too large to read. Search in it instead.`);
  return await file.readFile();
}

export async function writeCheckoutFile(tree: string, path: string, content: string): Promise<void> {
  const target = await resolveCheckoutPath(tree, path);
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  await change(path, async () => {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { flag: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW });
  });
}

export async function deleteCheckoutFile(tree: string, path: string): Promise<void> {
  const target = await resolveCheckoutPath(tree, path);
  if (!(await lstat(target).catch(() => undefined))) throw new ToolError(`The file "${path}" does not exist.`);
  await change(path, async () => await rm(target));
}

/** The errors of a path itself, such as a name that is too long, or a folder that a command made read-only. */
const pathErrorCodes = new Set(['EACCES', 'EEXIST', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOTDIR', 'EPERM']);

/** A retry would fail in the same way, after it has run the commands of the turn again, so the agent gets the error. */
async function change(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!pathErrorCodes.has(code)) throw error;
    throw new ToolError(`"${path}" cannot be changed (${code}). Use another path, or a command to see why.`);
  }
}
