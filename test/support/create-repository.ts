import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];

/** Runs git in a folder and returns its output. */
export async function runTestGit(folder: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)('git', ['-C', folder, ...identity, ...args])).stdout.trim();
}

/** Writes files to a repository, which is created when it does not exist, and commits them. */
export async function commitFiles(folder: string, files: Record<string, string>): Promise<string> {
  await mkdir(folder, { recursive: true });
  await runTestGit(folder, 'init', '--quiet', '--initial-branch', 'trunk');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await runTestGit(folder, 'add', '--all');
  await runTestGit(folder, 'commit', '--quiet', '--message', 'Add files');
  return await runTestGit(folder, 'rev-parse', 'HEAD');
}
