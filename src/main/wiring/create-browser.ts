import { loadConfig } from '../../config.ts';
import type { Browser } from '../../integrations/browser/browser.ts';
import { noBrowser } from '../../integrations/browser/no-browser.ts';
import { evidenceBytesMax } from '../../rules/changes/evidence.ts';
import { ensureBubblewrap, nestedSandboxViolation } from '../tools/ensure-bubblewrap.ts';
import { ensureChromium } from '../tools/ensure-chromium.ts';
import { type Progress, toolCacheDir } from '../tools/tool.ts';

/**
 * Returns the machine's browser, which starts on first use. Without a browser, or a sandbox for it, every screenshot fails
 * with the reason.
 */
export async function createBrowser(
  environment: NodeJS.ProcessEnv,
  { folder, onProgress }: { folder: string; onProgress: Progress },
): Promise<Browser> {
  const { chromiumPath } = loadConfig(environment);
  const search = { cacheDir: toolCacheDir(environment), env: environment, onProgress };
  const tool = await ensureChromium({ ...search, executable: chromiumPath });
  if ('missing' in tool) return noBrowser(tool.missing);
  const bubblewrap = await ensureBubblewrap(search);
  if ('missing' in bubblewrap) return noBrowser(bubblewrap.missing);
  const violation = await nestedSandboxViolation(bubblewrap.path, environment);
  if (violation !== undefined) return noBrowser(violation);
  // The library is slow to load and not needed on a machine without a browser.
  const { chromiumBrowser } = await import('../../integrations/browser/chromium.ts');
  return chromiumBrowser({
    executable: tool.path,
    bubblewrap: bubblewrap.path,
    profilesFolder: folder,
    imageBytesMax: evidenceBytesMax,
  });
}
