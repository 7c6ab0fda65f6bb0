import { join } from 'node:path';
import type { Logger } from 'pino';
import { startCodehost } from '../../emulators/codehost/start-codehost.ts';
import { startModel } from '../../emulators/model/start-model.ts';
import { ensureTemporal } from './ensure-temporal.ts';
import type { PlatformPorts } from './platform-ports.ts';
import { sampleFolder } from './sample-folder.ts';

export type PlatformEnvironment = Record<string, string | undefined>;

/** Registers a started part, so that it is closed when the platform stops or a later part fails to start. */
export type CloseOnStop = <T extends { close(): Promise<void> }>(started: T) => T;

export type PlatformContext = {
  folder: string;
  ports: PlatformPorts;
  /** The options that select other ports, for the message about a port in use. */
  portsConfiguredBy: string;
  environment: PlatformEnvironment;
  onProgress: (message: string) => void;
  log: Logger;
  closeOnStop: CloseOnStop;
};

/** Starts the servers that the environment does not name: Temporal, the code host and the scripted model. */
export async function startEmbeddedServers({
  folder,
  ports,
  portsConfiguredBy,
  environment,
  onProgress,
  log,
  closeOnStop,
}: PlatformContext) {
  const [temporal, codehost, model] = await Promise.all([
    ensureTemporal({ folder, ports, portsConfiguredBy, environment, onProgress }).then(closeOnStop),
    startEmbeddedCodehost(join(folder, 'codehost'), {
      port: ports.codehost,
      log: (line) => log.info({ from: 'codehost' }, line),
    }).then(closeOnStop),
    environment['MODEL_BASE_URL'] ? undefined : startModel({ port: ports.model }).then(closeOnStop),
  ]);
  await codehost.seedRepository('acme/hello', sampleFolder);
  return { temporal, codehost, model };
}

async function startEmbeddedCodehost(dataDir: string, options: { port: number; log: (line: string) => void }) {
  try {
    return await startCodehost({ dataDir, ...options });
  } catch (error) {
    throw new Error(
      `The code host in ${dataDir} did not start: ${(error as Error).message}. Delete or move the directory to start over.`,
    );
  }
}
