import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createScratchFolder } from '../scratch-folder.ts';
import { type ApiAccess, throwOutput } from './use-typescript-client.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('./clients/use_client.py', import.meta.url));
const settings = { post_hooks: [], package_name_override: 'service_client' };

/** Generates a client, checks the types of it and of a program that uses it, and returns what the program prints. */
export async function usePythonClient(
  tools: string,
  { document, baseUrl, token }: ApiAccess,
): Promise<{ warnings: string[]; printed: unknown }> {
  const folder = await createScratchFolder();
  const python = async (...args: string[]) =>
    await run(join(tools, 'bin', 'python'), args, { cwd: folder, maxBuffer: 16 * 1024 ** 2 }).catch(throwOutput);
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings));
  await copyFile(program, join(folder, 'use_client.py'));
  const target = ['--meta', 'none', '--output-path', 'service_client'];
  const generate = ['-m', 'openapi_python_client', 'generate', '--path', 'openapi.json', '--config', 'settings.json'];
  const { stdout: report, stderr } = await python(...generate, ...target);
  await python('-m', 'mypy', '--strict', 'use_client.py');
  const { stdout } = await python('use_client.py', baseUrl, token);
  return {
    warnings: (report + stderr).split('\n').filter((line) => line.startsWith('WARNING')),
    printed: JSON.parse(stdout),
  };
}
