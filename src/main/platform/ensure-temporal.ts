import { join } from 'node:path';
import { isServiceError } from '../../errors.ts';
import type { PlatformPorts } from './platform-ports.ts';
import { startTemporalServer } from '../temporal/start-temporal-server.ts';
import { readTemporalSettings } from '../temporal/read-temporal-settings.ts';
import { ensureTemporalCli } from '../tools/ensure-temporal-cli.ts';
import { type Progress, toolCacheDir } from '../tools/tool.ts';

type EnsureTemporalOptions = {
  folder: string;
  ports: PlatformPorts;
  environment: NodeJS.ProcessEnv;
  onProgress: Progress;
};
type TemporalEndpoint = { address: string; uiUrl: string; close(): Promise<void> };

/** Returns the Temporal server that TEMPORAL_ADDRESS names, or starts one in the data directory. */
export async function ensureTemporal({
  folder,
  ports,
  environment,
  onProgress,
}: EnsureTemporalOptions): Promise<TemporalEndpoint> {
  const address = environment['TEMPORAL_ADDRESS'];
  if (address) return { address, uiUrl: `the Web UI of ${address}`, close: async () => {} };
  const tool = await ensureTemporalCli({ cacheDir: toolCacheDir(environment), env: environment, onProgress });
  if ('missing' in tool) throw new Error(tool.missing);
  const dataDir = join(folder, 'temporal');
  const server = await startTemporalServer({
    executable: tool.path,
    settings: await readTemporalSettings(),
    dataDir,
    logFile: join(folder, 'logs', 'temporal.log'),
    port: ports.temporal,
    uiPort: ports.temporalUi,
  }).catch((error: Error) => {
    if (isServiceError(error, 'conflict')) throw error;
    throw new Error(`${error.message} If its data is damaged, delete or move ${dataDir} to start over.`);
  });
  return { address: server.address, uiUrl: server.uiUrl ?? '', close: async () => await server.close() };
}
