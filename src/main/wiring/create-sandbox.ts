import { bubblewrapSandbox } from '../../integrations/sandbox/bubblewrap.ts';
import { disabledSandbox } from '../../integrations/sandbox/disabled-sandbox.ts';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import { unconfinedSandbox } from '../../integrations/sandbox/unconfined-sandbox.ts';
import { loadConfig } from '../../config.ts';
import { ensureBubblewrap } from '../tools/ensure-bubblewrap.ts';
import { type Progress, toolCacheDir } from '../tools/tool.ts';

/** Returns the machine's sandbox. Without one, commands fail with the reason unless the operator accepted to run unconfined. */
export async function createSandbox(environment: NodeJS.ProcessEnv, onProgress: Progress): Promise<Sandbox> {
  const tool = await ensureBubblewrap({ cacheDir: toolCacheDir(environment), env: environment, onProgress });
  if ('path' in tool) return bubblewrapSandbox({ executable: tool.path });
  if (!loadConfig(environment).sandboxRequired) {
    const sandbox = unconfinedSandbox();
    if (sandbox.appViolation !== undefined) onProgress(sandbox.appViolation);
    return sandbox;
  }
  onProgress(`Agents and apps cannot run here: ${tool.missing}`);
  return disabledSandbox(tool.missing);
}
