import { loadConfig } from '../../config.ts';
import type { Browser } from '../../integrations/browser/browser.ts';
import { noBrowser } from '../../integrations/browser/no-browser.ts';
import { evidenceBytesMax } from '../../rules/changes/evidence.ts';
import { ensureChromium } from '../tools/ensure-chromium.ts';
import { type Progress, toolCacheDir } from '../tools/tool.ts';

/** Returns the machine's browser, which starts on first use. Without one, every screenshot fails with the reason. */
export async function createBrowser(
  environment: NodeJS.ProcessEnv,
  { folder, onProgress }: { folder: string; onProgress: Progress },
): Promise<Browser> {
  const { chromiumPath } = loadConfig(environment);
  const search = { cacheDir: toolCacheDir(environment), env: environment, onProgress };
  const tool = await ensureChromium({ ...search, executable: chromiumPath });
  if ('missing' in tool) return noBrowser(tool.missing);
  // The library is slow to load and not needed on a machine without a browser.
  const { chromiumBrowser } = await import('../../integrations/browser/chromium.ts');
  return chromiumBrowser({ executable: tool.path, profilesFolder: folder, imageBytesMax: evidenceBytesMax });
}
