import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createScratchFolder } from '../scratch-folder.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('./clients/use-client.ts', import.meta.url));

const compilerOptions = {
  noEmit: true,
  strict: true,
  target: 'es2024',
  lib: ['es2024', 'dom'],
  types: [],
  module: 'nodenext',
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

export type ApiAccess = { document: object; baseUrl: string; token: string };

/** Generates a client, checks the types of it and of a program that uses it, and returns what the program prints. */
export async function useTypeScriptClient(tools: string, { document, baseUrl, token }: ApiAccess): Promise<unknown> {
  const folder = await createScratchFolder();
  const bin = join(tools, 'node_modules', '.bin');
  await symlink(join(tools, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use-client.ts'] }));
  await copyFile(program, join(folder, 'use-client.ts'));
  await run(join(bin, 'openapi-typescript'), ['openapi.json', '--output', 'schema.ts'], { cwd: folder });
  await run(join(bin, 'tsc'), ['--project', '.'], { cwd: folder }).catch(throwOutput);
  const { stdout } = await run(process.execPath, ['use-client.ts', baseUrl, token], { cwd: folder });
  return JSON.parse(stdout);
}

/** Compilers write their findings to stdout, which the error of a failed program does not contain. */
export function throwOutput(error: { stdout?: string; stderr?: string }): never {
  throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}`, { cause: error });
}
