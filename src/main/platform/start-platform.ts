import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Registry } from 'prom-client';
import { loadConfig, type Config } from '../../config.ts';
import { startCluster } from '../../emulators/cluster/start-cluster.ts';
import { startDns } from '../../emulators/dns/start-dns.ts';
import type { Store } from '../../store/store.ts';
import { ensureAlertToken } from '../api/ensure-alert-token.ts';
import { ensureSetupToken, toSetupTokenFile } from '../api/ensure-setup-token.ts';
import { startApi } from '../api/start-api.ts';
import { startAdminServer } from '../process/admin-server.ts';
import { createMetricsCredentials } from '../metrics/create-credentials.ts';
import { type EmbeddedMetrics, startMetrics } from '../metrics/start-metrics.ts';
import { measureStore } from '../operator-metrics/measure-store.ts';
import { observeInstallation } from '../operator-metrics/observe-installation.ts';
import { createMetricsRegistry } from '../process/create-metrics-registry.ts';
import { ensureDataDirFormat } from '../process/data-dir-format.ts';
import { findBuildLanguages } from './find-build-languages.ts';
import { assertFreeSpace, watchFreeSpace } from './free-space.ts';
import { lockDataDir } from '../process/data-dir-lock.ts';
import { startTracing } from '../tracing/start-tracing.ts';
import { version } from '../process/version.ts';
import { acquireWorkDir } from '../process/work-dir-lock.ts';
import { installTemporalLogger, installTemporalLoggerAndMetrics } from '../temporal/temporal-runtime.ts';
import { createWritableFolder } from '../tools/install/create-folder.ts';
import { createBrowser } from '../wiring/create-browser.ts';
import { createSandbox } from '../wiring/create-sandbox.ts';
import { ensureBackupsFolder } from '../wiring/ensure-backups-folder.ts';
import { openAgentNetwork } from '../network/open-agent-network.ts';
import { openRegistry } from '../network/open-registry.ts';
import { openConnections, openStore } from '../wiring/open-connections.ts';
import { buildWorkflowBundle } from '../worker/build-workflow-bundle.ts';
import { queueNames } from '../worker/queue-names.ts';
import { startWorker } from '../worker/start-worker.ts';
import { openUi } from '../ui/open-ui.ts';
import { openLogFile } from './open-log-file.ts';
import { assertPortsFree, assignPlatformPorts } from './platform-ports.ts';
import {
  type CloseOnStop,
  type PlatformContext,
  type PlatformEnvironment,
  startEmbeddedServers,
} from './start-embedded-servers.ts';
import { localBaseDomain, toPlatformConfig } from './to-platform-config.ts';
import { verifyModel } from './verify-model.ts';

export type PlatformOptions = {
  port: number;
  dataDir: string;
  environment: PlatformEnvironment;
  onProgress: (message: string) => void;
  /** Resolves when the platform is no longer wanted. */
  stopSignal: Promise<void>;
};

export type Platform = {
  apiUrl: string;
  /** The address of the API for programs of this machine. PUBLIC_URL may lead to another one, or not work yet. */
  localApiUrl: string;
  temporalUiUrl: string;
  codehostUrl: string;
  /** The code host's token of the machine's owner, for git push. */
  codehostToken: string;
  codehostTokenFile: string;
  setupTokenFile: string;
  /** Absent once the root user exists. */
  setupToken: string | undefined;
  usesScriptedModel: boolean;
  /** The address of the platform's own Prometheus, and the file with its password. */
  prometheus?: { url: string; passwordFile: string };
  /** Resolves with the cause when a part has ended without which the platform stands still; state is kept. */
  ended: Promise<string>;
  /** The reason why agents and apps cannot run here. */
  sandboxViolation: string | undefined;
  /** Throws when the org's model cannot be used: it is not reachable, or a setting is wrong. */
  verifyModel(org: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts the whole platform on one machine and in one folder. Servers that the environment does not name are embedded.
 * Returns undefined after a stop signal: what has started until then ends with this process, and its state is kept.
 */
export async function startPlatform({
  port,
  dataDir,
  environment,
  onProgress,
  stopSignal,
}: PlatformOptions): Promise<Platform | undefined> {
  const folder = resolve(dataDir);
  const ports = assignPlatformPorts(port);
  const stops: (() => Promise<void>)[] = [];
  const closeOnStop: CloseOnStop = (started) => {
    stops.push(async () => await started.close());
    return started;
  };
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).toReversed()) await one();
  };
  const start = async (): Promise<Platform> => {
    const { logLevel, metricsPort, host } = loadConfig(environment);
    await createWritableFolder(tmpdir(), 'Set TMPDIR to a folder that can be written.');
    await assertFreeSpace(folder);
    await ensureDataDirFormat(folder);
    const lock = await lockDataDir(folder, port);
    let isStarted = false;
    stops.push(async () => await (lock.isNew && !isStarted ? lock.abandon() : lock.release()));
    // Addresses that are stored in a used directory contain its port.
    const portsConfiguredBy = lock.isNew ? '--port' : '--port and a new --data-dir';
    await assertPortsFree(ports, { configuredBy: portsConfiguredBy, host, metricsPort });
    const log = openLogFile(join(folder, 'logs', 'service.log'), logLevel);
    const readTemporalMetrics = metricsPort === undefined ? undefined : await installTemporalLoggerAndMetrics(log);
    if (!readTemporalMetrics) installTemporalLogger(log);
    const registry = createMetricsRegistry(readTemporalMetrics);
    closeOnStop(watchFreeSpace({ folder, onWarning: onProgress }));
    const parts = await startParts(
      { folder, ports, portsConfiguredBy, environment, onProgress, log, closeOnStop },
      registry,
    );
    isStarted = true;
    return { ...parts, stop };
  };
  try {
    const platform = await Promise.race([start(), stopSignal.then(() => undefined)]);
    // Parts that are still starting cannot be closed in order. The lock, which is the first, would outlive this process.
    if (platform === undefined) await stops[0]?.();
    return platform;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(context: PlatformContext, registry: Registry): Promise<Omit<Platform, 'stop'>> {
  const { folder, ports, environment, onProgress, log, closeOnStop } = context;
  const settings = loadConfig({ ...environment, DATA_DIR: folder });
  const { encryptionKeys } = settings.temporal;
  await ensureBackupsFolder(settings.backups);
  const metricsFolder = join(folder, 'metrics');
  const metricsAuth = settings.embedsMetrics ? await createMetricsCredentials(metricsFolder) : undefined;
  let metrics: EmbeddedMetrics | undefined;
  const workDir = await acquireWorkDir(join(folder, 'worker'));
  closeOnStop({ close: async () => workDir.release() });
  const tracing = await startTracing(environment, 'delivery-platform');
  if (tracing) closeOnStop({ close: tracing.stop });

  // These are independent of each other, and the slowest one decides when the platform is ready.
  const [{ temporal, codehost, model }, sandbox, browser, workflowBundle, ui] = await Promise.all([
    startEmbeddedServers(context),
    createSandbox(environment, onProgress),
    createBrowser(environment, { folder: join(workDir.path, 'browser'), onProgress }).then(closeOnStop),
    buildWorkflowBundle(onProgress, { encrypted: encryptionKeys.length > 0, traced: tracing !== undefined }),
    openUi(onProgress),
  ]);
  const config = toPlatformConfig(environment, {
    folder,
    ports,
    temporal,
    codehost,
    modelUrl: model?.url,
    metricsAuthFile: metricsAuth?.basicAuthFile,
  });
  const store = measureStore(await openStore(config), registry);
  const findViolations = () => metrics?.violations;
  const connections = closeOnStop(await openConnections(config, store, { findViolations, tracing }));
  observeInstallation(registry, connections);
  const { goRoot, missing: missingLanguages } = await findBuildLanguages(environment, sandbox);
  const cluster = await startEmbeddedCluster(context, { config, store, sandbox, goRoot });

  // An operator who sets other base domains also serves their DNS.
  if (config.domains.managedBaseDomains.includes(localBaseDomain))
    closeOnStop(await startDns({ store, dnsZones: [localBaseDomain], port: ports.dns }));

  const worker = await startWorker(config, connections, {
    queues: queueNames,
    sandbox,
    openNetwork: openAgentNetwork(config, log),
    browser,
    isImageDeleted: cluster.isImageDeleted,
    workflowBundle,
    tracing,
    registry,
    checkouts: { path: join(workDir.path, 'checkouts'), name: workDir.name },
  });
  closeOnStop({ close: worker.stop });
  await ensureAlertToken(store);
  const setupTokenFile = toSetupTokenFile(config);
  const setupToken = await ensureSetupToken(store, setupTokenFile);
  const { telemetry, isImageDeleted } = cluster;
  const api = await startApi(config, connections, {
    log,
    version,
    telemetry,
    isImageDeleted,
    missingLanguages,
    registry,
    tracing,
    ui,
    // The gate of zones, Alertmanager, the code host and the demo use it there.
    alsoOnLoopback: true,
  });
  closeOnStop({ close: api.stop });
  if (config.metricsPort !== undefined) {
    const adminServer = await startAdminServer(
      { ...connections, registry },
      { ...config, port: config.metricsPort, configuredBy: 'METRICS_PORT' },
    );
    closeOnStop({ close: adminServer.stop });
  }
  if (metricsAuth !== undefined) {
    const { metricsRetentionMs: retentionMs } = config;
    const options = {
      folder: metricsFolder,
      ports,
      credentials: metricsAuth,
      retentionMs,
      environment,
      store,
      cluster,
    };
    metrics = closeOnStop(startMetrics({ ...options, log, onProgress }));
  }
  return {
    apiUrl: `${config.publicUrl}/api`,
    localApiUrl: `http://127.0.0.1:${ports.api}/api`,
    temporalUiUrl: temporal.uiUrl,
    ended: temporal.ended.then((cause) => `The Temporal server ${cause}.`),
    codehostUrl: codehost.url,
    codehostToken: codehost.userToken,
    codehostTokenFile: join(folder, 'codehost', 'token'),
    setupTokenFile,
    setupToken,
    usesScriptedModel: model !== undefined,
    ...(metricsAuth && {
      prometheus: { url: `http://127.0.0.1:${ports.prometheus}`, passwordFile: metricsAuth.passwordFile },
    }),
    sandboxViolation: sandbox.violation,
    verifyModel: async (org) => await verifyModel(connections.models, org),
  };
}

type ClusterParts = {
  config: Config;
  store: Store;
  sandbox: Awaited<ReturnType<typeof createSandbox>>;
  goRoot: string | undefined;
};

async function startEmbeddedCluster(
  { folder, ports, environment, log, closeOnStop }: PlatformContext,
  { config, store, sandbox, goRoot }: ClusterParts,
) {
  const cluster = await startCluster({
    store,
    sandbox,
    openRegistry: openRegistry(environment, log),
    goRoot,
    dataDir: join(folder, 'cluster'),
    port: ports.addresses,
    zoneServicePort: ports.services,
    argoCdNamespace: config.argoCdNamespace,
    forwardAuth: { serviceUrl: `http://127.0.0.1:${ports.api}`, publicUrl: config.publicUrl },
    log: (line) => log.info({ from: 'cluster' }, line),
  });
  return closeOnStop(cluster);
}
