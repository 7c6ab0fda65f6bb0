import { delimiter, dirname } from 'node:path';
import { ensureBubblewrap } from '../../../src/main/tools/ensure-bubblewrap.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

/** Adds the sandbox to the PATH of every test, and downloads it once if it is not installed. */
export default async function setup(): Promise<void> {
  const { env } = process;
  const onProgress = (message: string) => process.stderr.write(`${message}\n`);
  const found = await ensureBubblewrap({ cacheDir: toolCacheDir(env), env, onProgress });
  if ('path' in found) {
    env['PATH'] = `${env['PATH'] ?? ''}${delimiter}${dirname(found.path)}`;
    return;
  }
  if (env['CI']) throw new Error(found.missing);
  process.stderr.write(`\nTESTS THAT NEED A SANDBOX WILL FAIL. ${found.missing}\n\n`);
}
