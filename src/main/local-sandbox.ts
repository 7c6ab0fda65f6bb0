import { bubblewrapSandbox } from '../integrations/sandbox/bubblewrap.ts';
import { refusingSandbox } from '../integrations/sandbox/refusing.ts';
import type { Sandbox } from '../integrations/sandbox/sandbox.ts';
import { unconfinedSandbox } from '../integrations/sandbox/unconfined.ts';
import { loadConfig } from '../config.ts';
import { bubblewrap } from './tools/bubblewrap.ts';
import { type Progress, toolCacheDir } from './tools/tool.ts';

/** The machine's sandbox; without one, one that refuses with the reason, unless the operator asked for none in as many words. */
export async function localSandbox(environment: NodeJS.ProcessEnv, onProgress: Progress): Promise<Sandbox> {
  const tool = await bubblewrap({ cacheDir: toolCacheDir(environment), env: environment, onProgress });
  if ('path' in tool) return bubblewrapSandbox({ executable: tool.path });
  if (!loadConfig(environment).sandboxRequired) return unconfinedSandbox();
  onProgress(`Agents and apps cannot run here: ${tool.missing}`);
  return refusingSandbox(tool.missing);
}
