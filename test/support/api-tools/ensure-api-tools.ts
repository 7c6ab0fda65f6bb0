import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import { type Tool, toolCacheDir } from '../../../src/main/tools/tool.ts';

const run = promisify(execFile);
const installTimeoutMs = 600_000;
const folder = fileURLToPath(new URL('.', import.meta.url));

/** Returns a folder whose `node_modules` has the linters and the generator of TypeScript clients, which needs another compiler. */
export const ensureNodeTools = async (): Promise<Tool> =>
  await ensure('api-tools-node', ['package.json', 'package-lock.json'], async (workDir) => {
    await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: workDir,
      timeout: installTimeoutMs,
    });
  });

/** Returns a folder whose `bin/python` has Schemathesis, the generator of Python clients and their type checker. */
export const ensurePythonTools = async (): Promise<Tool> =>
  await ensure('api-tools-python', ['requirements.txt'], async (workDir) => {
    await run('python3', ['-m', 'venv', workDir], { timeout: installTimeoutMs });
    const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--only-binary', ':all:', '-r', 'requirements.txt'];
    await run(join(workDir, 'bin', 'python'), args, { cwd: workDir, timeout: installTimeoutMs });
  });

async function ensure(name: string, files: string[], install: (workDir: string) => Promise<void>): Promise<Tool> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(join(folder, file)));
  const target = join(toolCacheDir(process.env), `${name}-${hash.digest('hex').slice(0, 12)}`);
  return await makeOnce(target, report, async (workDir) => {
    try {
      for (const file of files) await copyFile(join(folder, file), join(workDir, file));
      await install(workDir);
      return { path: workDir };
    } catch (error) {
      return { missing: error instanceof Error ? error.message : String(error) };
    }
  });
}

/** Skips the test without the tool on a person's machine; on CI its absence is a failure. */
export function requireTool(tool: Tool, { skip }: Pick<TestContext, 'skip'>): string {
  if ('path' in tool) return tool.path;
  if (process.env['CI'] === 'true') throw new Error(tool.missing);
  report(`SKIPPED, because its tools cannot be installed: ${tool.missing}`);
  return skip(tool.missing);
}

function report(message: string): void {
  process.stderr.write(`${message}\n`);
}
