import { join } from 'node:path';
import { isServiceError } from '../../errors.ts';
import type { PlatformPorts } from './platform-ports.ts';
import { startTemporalServer } from '../temporal/start-temporal-server.ts';
import { readTemporalSettings } from '../temporal/read-temporal-settings.ts';
import type { TemporalCredentials } from '../temporal/server-credentials.ts';
import { ensureTemporalServer } from '../tools/ensure-temporal-server.ts';
import { type Progress, toolCacheDir } from '../tools/tool.ts';

type EnsureTemporalOptions = {
  folder: string;
  ports: PlatformPorts;
  portsConfiguredBy: string;
  environment: NodeJS.ProcessEnv;
  onProgress: Progress;
};
export type TemporalEndpoint = {
  address: string;
  uiUrl: string;
  /** The credentials of an embedded server; the environment has those of any other. */
  credentials?: TemporalCredentials;
  /** The namespace of an embedded server; the environment names that of any other. */
  namespace?: string;
  /** Resolves with the cause when an embedded server ends before it is closed. */
  ended: Promise<string>;
  close(): Promise<void>;
};

/** Returns the Temporal server that TEMPORAL_ADDRESS names, or starts one in the data directory. */
export async function ensureTemporal({
  folder,
  ports,
  portsConfiguredBy,
  environment,
  onProgress,
}: EnsureTemporalOptions): Promise<TemporalEndpoint> {
  const address = environment['TEMPORAL_ADDRESS'];
  if (address)
    return {
      address,
      uiUrl: `the Web UI of ${address}`,
      ended: new Promise(() => {}),
      close: async () => {},
    };
  const tool = await ensureTemporalServer({ cacheDir: toolCacheDir(environment), env: environment, onProgress });
  if ('missing' in tool) throw new Error(tool.missing);
  const dataDir = join(folder, 'temporal');
  const settings = await readTemporalSettings();
  const server = await startTemporalServer({
    executable: tool.path,
    settings,
    dataDir,
    credentialsDir: join(dataDir, 'credentials'),
    logFile: join(folder, 'logs', 'temporal.log'),
    port: ports.temporal,
    uiPort: ports.temporalUi,
    portsConfiguredBy,
  }).catch((error: Error) => {
    if (isServiceError(error, 'conflict')) throw error;
    throw new Error(`${error.message} If its data is damaged, delete or move ${dataDir} to start over.`);
  });
  return { ...server, uiUrl: server.uiUrl ?? '', namespace: settings.namespace };
}
