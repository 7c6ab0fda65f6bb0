import { join } from 'node:path';
import { readTemporalSettings } from '../../../src/main/temporal/read-temporal-settings.ts';
import { startTemporalServer, type TemporalServer } from '../../../src/main/temporal/start-temporal-server.ts';
import { ensureTemporalServer } from '../../../src/main/tools/ensure-temporal-server.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

type Options = {
  /** The folder of the server's log and of its data. */
  folder: string;
  onProgress: (message: string) => void;
  /** Keeps workflows in files, as in production. By default they are only in memory. */
  isDurable?: boolean;
};

/** Starts a Temporal server for a script. Throws when this machine has none and cannot build one. */
export async function startTemporal({ folder, onProgress, isDurable = false }: Options): Promise<TemporalServer> {
  const tool = await ensureTemporalServer({ cacheDir: toolCacheDir(process.env), env: process.env, onProgress });
  if ('missing' in tool) throw new Error(tool.missing);
  return await startTemporalServer({
    executable: tool.path,
    settings: await readTemporalSettings(),
    logFile: join(folder, 'temporal.log'),
    ...(isDurable && { dataDir: join(folder, 'temporal') }),
    port: 0,
  });
}
