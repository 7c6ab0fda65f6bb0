import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { Browser } from '../../src/integrations/browser/browser.ts';
import { chromiumBrowser, type ChromiumOptions } from '../../src/integrations/browser/chromium.ts';
import { evidenceBytesMax } from '../../src/rules/changes/evidence.ts';
import { chromium } from '../../src/main/tools/chromium.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';

const { env } = process;
const found = await chromium({
  executable: env['CHROMIUM_PATH'],
  fetch: true,
  cacheDir: toolCacheDir(env),
  env,
  onProgress: (message) => process.stderr.write(`${message}\n`),
});
if ('missing' in found) {
  if (env['CI']) throw new Error(found.missing);
  process.stderr.write(`\nSKIPPING EVERY TEST THAT NEEDS A BROWSER. ${found.missing}\n\n`);
}

export const chromiumPath = 'path' in found ? found.path : '';

/** A suite that needs a real browser; skipped, loudly, where there can be none. */
export const describeWithChromium = chromiumPath === '' ? describe.skip : describe;

/** A browser of the test's own, which leaves nothing. */
export async function startBrowser(
  pace: NonNullable<ChromiumOptions['pace']> = {},
): Promise<Browser & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'browser-'));
  const browser = chromiumBrowser({ executable: chromiumPath, folder, imageBytesMax: evidenceBytesMax, pace });
  return {
    ...browser,
    folder,
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The first process of the browser whose profile is there, while there is one. */
export function pidOfBrowser(folder: string): number | undefined {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const first = lines.find((line) => line.includes(folder) && !line.includes('--type='));
  return first === undefined ? undefined : Number(first.trim().split(/\s+/)[0]);
}
