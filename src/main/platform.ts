import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { type Config, loadConfig } from '../config.ts';
import { startCluster } from '../local/cluster/start-cluster.ts';
import { startCodehost } from '../local/codehost/start-codehost.ts';
import { startDns } from '../local/dns/start-dns.ts';
import { startModel } from '../local/model/start-model.ts';
import { connect, openStore } from './connect.ts';
import { holdDataDir } from './hold-data-dir.ts';
import { takeOwnFolder } from './own-folder.ts';
import { localBrowser } from './local-browser.ts';
import { localSandbox } from './local-sandbox.ts';
import { assertPortsFree, localPorts, type LocalPorts } from './local-ports.ts';
import { startApi } from './run-api.ts';
import { startWorker } from './run-worker.ts';
import { logToPino } from './runtime.ts';
import { serviceMetrics } from './service-metrics.ts';
import { ensureSetupToken } from './setup-token.ts';
import { sampleFolder } from './sample.ts';
import { queueNames } from './task-workers.ts';
import { startTemporal } from './start-temporal.ts';
import { version } from './version.ts';
import { workflowBundle } from './workflow-bundle.ts';

export type PlatformOptions = {
  port: number;
  dataDir: string;
  environment: Record<string, string | undefined>;
  onProgress: (message: string) => void;
};

export type Platform = {
  apiUrl: string;
  temporalUiUrl: string;
  codehostUrl: string;
  /** The code host's token of the machine's owner, for git push. */
  codehostToken: string;
  setupTokenFile: string;
  rootUserNeeded: boolean;
  rehearsal: boolean;
  stop(): Promise<void>;
};

/** Everything on one machine, under one folder: what is not given by the environment is embedded. */
export async function startPlatform({ port, dataDir, environment, onProgress }: PlatformOptions): Promise<Platform> {
  const folder = resolve(dataDir);
  const ports = localPorts(port);
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).toReversed()) await one();
  };
  try {
    const { logLevel, temporal: given } = loadConfig(environment);
    stops.push(await holdDataDir(folder, port));
    await assertPortsFree(ports);
    await mkdir(join(folder, 'logs'), { recursive: true });
    const log = pino(
      { level: logLevel },
      pino.destination({ dest: join(folder, 'logs', 'service.log'), mkdir: true, sync: false }),
    );

    logToPino(log);

    // Independent of each other, and the slowest decides how soon the platform is ready.
    const own = await takeOwnFolder(join(folder, 'worker'));
    stops.push(async () => own.release());
    const [temporal, codehost, sandbox, browser, bundle] = await Promise.all([
      startTemporal({ folder, ports, environment, onProgress }).then(closing(stops)),
      openCodehost(join(folder, 'codehost'), {
        port: ports.codehost,
        log: (line) => log.info({ from: 'codehost' }, line),
      }).then(closing(stops)),
      localSandbox(environment, onProgress),
      localBrowser(environment, { folder: join(own.path, 'browser'), onProgress }).then(closing(stops)),
      workflowBundle(onProgress, { sealed: given.encryptionKeys.length > 0 }),
    ]);
    await codehost.seedRepository('acme/hello', sampleFolder);

    const rehearsal = !environment['MODEL_BASE_URL'];
    const model = rehearsal ? await startModel({ port: ports.model }).then(closing(stops)) : undefined;
    const config = localConfig(environment, {
      folder,
      ports,
      temporalAddress: temporal.address,
      codehost,
      modelUrl: model?.url,
    });
    const store = await openStore(config);
    const connections = await connect(config, store);
    stops.push(connections.close);
    const userAuthorization = `Basic ${Buffer.from(`owner:${codehost.userToken}`).toString('base64')}`;
    const cluster = await startCluster({
      store,
      sandbox,
      dataDir: join(folder, 'cluster'),
      port: ports.addresses,
      servicePort: ports.services,
      service: { serviceUrl: `http://127.0.0.1:${ports.api}`, publicUrl: config.publicUrl },
      log: (line) => log.info({ from: 'cluster' }, line),
      credentialsFor: async (url) => (url.startsWith(codehost.url) ? userAuthorization : undefined),
    }).then(closing(stops));

    // Roots that the operator has given are somebody else's to serve.
    if (config.domains.managedRoots.includes(localRoot))
      stops.push((await startDns({ store, zones: [localRoot], port: ports.dns })).close);

    const worker = await startWorker(config, connections, {
      queues: queueNames,
      sandbox,
      browser,
      workflowBundle: bundle,
      checkouts: { path: join(own.path, 'checkouts'), name: own.name },
    });
    stops.push(worker.stop);
    const setupTokenFile = join(folder, 'setup-token');
    const { needed } = await ensureSetupToken(store, setupTokenFile);
    const api = await startApi(config, connections, {
      log,
      version,
      telemetry: cluster.telemetry,
      registry: serviceMetrics(),
    });
    stops.push(api.stop);
    return {
      apiUrl: `${config.publicUrl}/api`,
      temporalUiUrl: temporal.uiUrl,
      codehostUrl: codehost.url,
      codehostToken: codehost.userToken,
      setupTokenFile,
      rootUserNeeded: needed,
      rehearsal,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openCodehost(dataDir: string, options: { port: number; log: (line: string) => void }) {
  try {
    return await startCodehost({ dataDir, ...options });
  } catch (error) {
    throw new Error(
      `The code host under ${dataDir} does not start: ${(error as Error).message}. Move the folder away to begin anew.`,
    );
  }
}

/** Names under `localhost` are loopback without any set-up, so what is claimed here can be opened here. */
const localRoot = 'domains.localhost';

type Local = {
  folder: string;
  ports: LocalPorts;
  temporalAddress: string;
  codehost: { url: string; apiUrl: string };
  modelUrl: string | undefined;
};

function localConfig(
  environment: PlatformOptions['environment'],
  { folder, ports, temporalAddress, codehost, modelUrl }: Local,
): Config {
  const managed = { MANAGED_ROOTS: localRoot, DNS_ZONE_SERVERS: `${localRoot}=127.0.0.1:${ports.dns}` };
  return loadConfig({
    INGRESS_ADDRESSES: '127.0.0.1',
    ...(environment['MANAGED_ROOTS'] ? {} : managed),
    ...environment,
    PORT: String(ports.api),
    DATA_DIR: folder,
    TEMPORAL_ADDRESS: temporalAddress,
    CODEHOST_URL: codehost.url,
    CODEHOST_API_URL: codehost.apiUrl,
    // The embedded code host asks nobody to slow down.
    CODEHOST_THROTTLE: 'false',
    ZONE_ADDRESS: `http://{zone}.localhost:${ports.addresses}`,
    ZONE_SERVICE: `http://{product}.{zone}.svc.localhost:${ports.services}`,
    ...(modelUrl ? { MODEL_BASE_URL: modelUrl, MODEL_NAME: 'rehearsal', MODEL_API_KEY: 'none' } : {}),
  });
}

/** Keeps what was started, so that a later failure stops it too. */
const closing =
  (stops: (() => Promise<void>)[]) =>
  <T extends { close(): Promise<void> }>(started: T): T => {
    stops.push(async () => await started.close());
    return started;
  };
