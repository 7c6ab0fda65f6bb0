import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../../config.ts';
import { noBrowser } from '../../integrations/browser/no-browser.ts';
import { disabledSandbox } from '../../integrations/sandbox/disabled-sandbox.ts';
import { startAdminServer } from '../process/admin-server.ts';
import { createMetricsRegistry } from '../process/create-metrics-registry.ts';
import { measureStore } from '../operator-metrics/measure-store.ts';
import { readEnvironment } from '../process/read-environment.ts';
import { runMain } from '../process/run-main.ts';
import { startTracing } from '../tracing/start-tracing.ts';
import { waitForStopSignal } from '../process/stop-signal.ts';
import { acquireWorkDir } from '../process/work-dir-lock.ts';
import { followCredentials } from '../temporal/follow-credentials.ts';
import { installTemporalLoggerAndMetrics } from '../temporal/temporal-runtime.ts';
import { createBrowser } from '../wiring/create-browser.ts';
import { createSandbox } from '../wiring/create-sandbox.ts';
import { ensureBackupsFolder } from '../wiring/ensure-backups-folder.ts';
import { openAgentNetwork } from '../network/open-agent-network.ts';
import { openConnections, openStore } from '../wiring/open-connections.ts';
import { buildWorkflowBundle } from './build-workflow-bundle.ts';
import { parseQueues } from './parse-queues.ts';
import { startWorker } from './start-worker.ts';

await runMain(async () => {
  const queues = parseQueues(process.argv.slice(2));
  const environment = await readEnvironment(process.env);
  const config = loadConfig(environment);
  if (queues.includes('backups')) await ensureBackupsFolder(config.backups);
  const stopSignal = waitForStopSignal();
  const log = pino({ level: config.logLevel });
  const onProgress = (message: string): void => log.info(message);
  const registry = createMetricsRegistry(await installTemporalLoggerAndMetrics(log));
  const workDir = await acquireWorkDir(join(config.dataDir, 'worker'));
  const tracing = await startTracing(environment, 'delivery-worker');
  const store = measureStore(await openStore(config), registry);
  const connections = await openConnections(config, store, { tracing });
  const browser = queues.includes('browser')
    ? await createBrowser(environment, { folder: join(workDir.path, 'browser'), onProgress })
    : noBrowser('This worker does not serve the browser queue.');
  const worker = await startWorker(config, connections, {
    queues,
    sandbox: queues.includes('agents')
      ? await createSandbox(environment, onProgress)
      : disabledSandbox('This worker does not serve the agents queue.'),
    openNetwork: openAgentNetwork(config, log),
    browser,
    workflowBundle: await buildWorkflowBundle(onProgress, {
      encrypted: config.temporal.encryptionKeys.length > 0,
      traced: tracing !== undefined,
    }),
    tracing,
    registry,
    checkouts: { path: join(workDir.path, 'checkouts'), name: workDir.name },
  });
  const stopping = new AbortController();
  const adminDeps = { ...connections, registry, stopSignal: stopping.signal };
  const adminServer = await startAdminServer(adminDeps, { ...config, configuredBy: 'PORT' });
  const { temporalConnection: connection } = connections;
  const credentials = await followCredentials({ connection, temporal: config.temporal, log });
  log.info({ queues, port: config.port, host: workDir.name }, 'ready');
  // The supervisor starts the process again, with the new certificate.
  await Promise.race([stopSignal, worker.ended, credentials.replaced]);
  credentials.stop();
  log.info('stopping');
  stopping.abort();
  await worker.stop();
  await browser.close();
  await adminServer.stop();
  await connections.close();
  await tracing?.stop();
  workDir.release();
  process.exit(0);
});
