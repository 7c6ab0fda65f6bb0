import { join } from 'node:path';
import type { localPorts } from './local-ports.ts';
import { startTemporalServer } from './temporal/dev-server.ts';
import { readTemporalSettings } from './temporal/settings.ts';
import { temporalCli } from './tools/temporal-cli.ts';
import { type Progress, toolCacheDir } from './tools/tool.ts';

type Where = {
  folder: string;
  ports: ReturnType<typeof localPorts>;
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
  const server = await startTemporalServer({
    executable: tool.path,
    settings: await readTemporalSettings(),
    dataDir: join(folder, 'temporal'),
    logFile: join(folder, 'logs', 'temporal.log'),
    port: ports.temporal,
    uiPort: ports.temporalUi,
  });
  return { address: server.address, uiUrl: server.uiUrl ?? '', close: async () => await server.close() };
}
