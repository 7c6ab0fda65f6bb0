import { loadConfig } from '../config.ts';
import type { Browser } from '../integrations/browser/browser.ts';
import { missingBrowser } from '../integrations/browser/missing.ts';
import { evidenceBytesMax } from '../rules/changes/evidence.ts';
import { chromium } from './tools/chromium.ts';
import { type Progress, toolCacheDir } from './tools/tool.ts';

/** The machine's browser, which starts when it is first needed; without one, one that says why of every site. */
export async function localBrowser(
  environment: NodeJS.ProcessEnv,
  { folder, onProgress }: { folder: string; onProgress: Progress },
): Promise<Browser> {
  const { chromiumPath } = loadConfig(environment);
  const search = { cacheDir: toolCacheDir(environment), env: environment, onProgress };
  const tool = await chromium({ ...search, executable: chromiumPath });
  if ('missing' in tool) return missingBrowser(tool.missing);
  // Its library takes a while to load, and a machine without a browser does without it.
  const { chromiumBrowser } = await import('../integrations/browser/chromium.ts');
  return chromiumBrowser({ executable: tool.path, folder, imageBytesMax: evidenceBytesMax });
}
