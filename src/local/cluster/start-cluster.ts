import { mkdir, readFile, truncate, appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { Store } from '../../store/store.ts';
import { runBuilder } from './builder.ts';
import { Controller } from './controller.ts';
import type { CredentialsFor } from './git.ts';
import { openImageStore } from './image-store.ts';
import { createRouter } from './router.ts';
import { Zone } from './zone.ts';

export type ClusterOptions = {
  store: Store;
  sandbox: Sandbox;
  dataDir: string;
  port: number;
  host?: string;
  log: (line: string) => void;
  credentialsFor?: CredentialsFor;
};

export type Cluster = {
  /** Where the router listens; it tells zones apart by host name. */
  url: string;
  imageDigests(): Promise<string[]>;
  close(): Promise<void>;
};

/** A builder, a deployment controller and a router that act on BuildRuns and Applications as the real ones do. */
export async function startCluster({ store, sandbox, dataDir, port, host = '127.0.0.1', log, credentialsFor = async () => undefined }: ClusterOptions): Promise<Cluster> {
  const logsDir = join(dataDir, 'logs');
  await mkdir(logsDir, { recursive: true });
  const images = await openImageStore(dataDir);
  const controller = new Controller({
    store,
    dataDir,
    credentialsFor,
    log,
    createZone: (name, onHealth) =>
      new Zone({ sandbox, images, onHealth, onOutput: (text) => void keepOutput(join(logsDir, `${name}.log`), text) }),
  });
  const router = createRouter((wanted) => {
    const zone = controller.zones().find(({ hosts }) => hosts.includes(wanted));
    return zone && (zone.next() ?? 'nothing-runs');
  });
  await new Promise<void>((resolve, reject) => {
    router.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${port}, for the environments' addresses, is in use. Stop what uses it, or pass another --port.`) : error),
    );
    router.listen(port, host, resolve);
  });

  const stopping = new AbortController();
  const working = Promise.all([
    runBuilder({ store, sandbox, images, sourcesDir: join(dataDir, 'sources'), credentialsFor, log }, stopping.signal),
    controller.run(stopping.signal),
  ]);
  const address = router.address();
  return {
    url: `http://localhost:${typeof address === 'object' && address ? address.port : port}`,
    imageDigests: images.digests,
    async close() {
      stopping.abort();
      router.close();
      await working;
      router.closeAllConnections();
    },
  };
}

const outputBytesMax = 4 * 1024 * 1024;

/** The file holds the newest half and more of what a zone's apps wrote. */
async function keepOutput(file: string, text: string): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > outputBytesMax) {
    const newest = (await readFile(file)).subarray(size / 2);
    await truncate(file, 0);
    await appendFile(file, newest);
  }
  await appendFile(file, text);
}
