import { join } from 'node:path';
import { isServiceError } from '../errors.ts';
import type { LocalPorts } from './local-ports.ts';
import { startTemporalServer } from './temporal/dev-server.ts';
import { readTemporalSettings } from './temporal/settings.ts';
import { temporalCli } from './tools/temporal-cli.ts';
import { type Progress, toolCacheDir } from './tools/tool.ts';

type Where = {
  folder: string;
  ports: LocalPorts;
  environment: NodeJS.ProcessEnv;
  onProgress: Progress;
};
type Temporal = { address: string; uiUrl: string; close(): Promise<void> };

/** The Temporal server that TEMPORAL_ADDRESS names, or one of our own under the data directory. */
export async function startTemporal({ folder, ports, environment, onProgress }: Where): Promise<Temporal> {
  const given = environment['TEMPORAL_ADDRESS'];
  if (given) return { address: given, uiUrl: `the Web UI of ${given}`, close: async () => {} };
  const tool = await temporalCli({ cacheDir: toolCacheDir(environment), env: environment, onProgress });
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
    throw new Error(`${error.message} If its data is damaged, move ${dataDir} away to begin anew.`);
  });
  return { address: server.address, uiUrl: server.uiUrl ?? '', close: async () => await server.close() };
}
