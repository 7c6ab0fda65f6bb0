import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';
import type { Browser } from '../../../src/integrations/browser/browser.ts';
import { chromiumBrowser, type ChromiumOptions } from '../../../src/integrations/browser/chromium.ts';
import { evidenceBytesMax } from '../../../src/rules/changes/evidence.ts';
import { ensureChromium } from '../../../src/main/tools/ensure-chromium.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

const { env } = process;
const search = {
  executable: env['CHROMIUM_PATH'],
  download: true,
  cacheDir: toolCacheDir(env),
  env,
  onProgress: (message: string) => process.stderr.write(`${message}\n`),
};
const found = await ensureChromium(search);
if ('missing' in found) {
  if (env['CI']) throw new Error(found.missing);
  process.stderr.write(`\nSKIPPING EVERY TEST THAT NEEDS A BROWSER. ${found.missing}\n\n`);
}

export const chromiumPath = 'path' in found ? found.path : '';

/** Finds the browser for pages of the service, which need nothing that a headless shell lacks. */
export async function findHeadlessShell(): Promise<string> {
  const shell = await ensureChromium({ ...search, edition: 'chromium-headless-shell' });
  return 'path' in shell ? shell.path : chromiumPath;
}

/** Describes a suite that needs a real browser, and skips it with a warning when none is available. */
export const describeWithChromium = chromiumPath === '' ? describe.skip : describe;

/** Starts a browser with a temporary profile folder, which its `close` removes. */
export async function startBrowser(
  timeouts: NonNullable<ChromiumOptions['timeouts']> = {},
): Promise<Browser & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'browser-'));
  const browser = chromiumBrowser({
    executable: chromiumPath,
    bubblewrap: findBubblewrap(),
    profilesFolder: folder,
    imageBytesMax: evidenceBytesMax,
    timeouts,
  });
  return { ...browser, folder };
}

/** Returns the options to launch a browser with the given profile folder. */
export const isolatedBy = (profile: string) => ({
  executable: chromiumPath,
  bubblewrap: findBubblewrap(),
  profile,
  timeoutMs: 120_000,
});

function findBubblewrap(): string {
  const folders = (env['PATH'] ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, 'bwrap')).find((path) => existsSync(path));
  if (found === undefined) throw new Error('bwrap is not on PATH: install bubblewrap to run these tests.');
  return found;
}

/** Finds the main process of the browser that uses the profile folder, by its id outside of the sandbox. */
export function findBrowserPid(folder: string): number | undefined {
  const processes = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
    });
  const sandboxes = new Set(processes.filter(({ command }) => command.includes(folder)).map(({ pid }) => pid));
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined; at = processes.find((one) => one.pid === at)?.parent)
      if (sandboxes.has(at)) return true;
    return false;
  };
  const isMain = (command: string): boolean =>
    command.includes('--remote-debugging-pipe') && !/--type=|bwrap|^\/bin\/sh/.test(command);
  return processes.find(({ pid, command }) => isMain(command) && isBelow(pid))?.pid;
}
