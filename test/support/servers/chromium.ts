import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { Browser } from '../../../src/integrations/browser/browser.ts';
import { chromiumBrowser, type ChromiumOptions } from '../../../src/integrations/browser/chromium.ts';
import { evidenceBytesMax } from '../../../src/rules/changes/evidence.ts';
import { ensureChromium } from '../../../src/main/tools/ensure-chromium.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

const { env } = process;
const found = await ensureChromium({
  executable: env['CHROMIUM_PATH'],
  download: true,
  cacheDir: toolCacheDir(env),
  env,
  onProgress: (message) => process.stderr.write(`${message}\n`),
});
if ('missing' in found) {
  if (env['CI']) throw new Error(found.missing);
  process.stderr.write(`\nSKIPPING EVERY TEST THAT NEEDS A BROWSER. ${found.missing}\n\n`);
}

export const chromiumPath = 'path' in found ? found.path : '';

/** Describes a suite that needs a real browser, and skips it with a warning when none is available. */
export const describeWithChromium = chromiumPath === '' ? describe.skip : describe;

/** Starts a browser with a temporary profile folder, which `close` removes. */
export async function startBrowser(
  timeouts: NonNullable<ChromiumOptions['timeouts']> = {},
): Promise<Browser & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'browser-'));
  const browser = chromiumBrowser({
    executable: chromiumPath,
    profilesFolder: folder,
    imageBytesMax: evidenceBytesMax,
    timeouts,
  });
  return {
    ...browser,
    folder,
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Finds the main process of the browser that uses the profile folder. */
export function findBrowserPid(folder: string): number | undefined {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const first = lines.find((line) => line.includes(folder) && !line.includes('--type='));
  return first === undefined ? undefined : Number(first.trim().split(/\s+/)[0]);
}
