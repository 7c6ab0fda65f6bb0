import { pino } from 'pino';
import { loadConfig } from '../../config.ts';
import { startAdminServer } from '../process/admin-server.ts';
import { createMetricsRegistry } from '../process/create-metrics-registry.ts';
import { measureStore } from '../operator-metrics/measure-store.ts';
import { observeInstallation } from '../operator-metrics/observe-installation.ts';
import { readEnvironment } from '../process/read-environment.ts';
import { runMain } from '../process/run-main.ts';
import { startTracing } from '../tracing/start-tracing.ts';
import { waitForStopSignal } from '../process/stop-signal.ts';
import { version } from '../process/version.ts';
import { followCredentials } from '../temporal/follow-credentials.ts';
import { installTemporalLoggerAndMetrics } from '../temporal/temporal-runtime.ts';
import { findUi } from '../ui/build-ui.ts';
import { readUiFiles } from '../ui/read-ui-files.ts';
import { connectZoneTelemetry } from '../wiring/telemetry/connect-zone-telemetry.ts';
import { openConnections, openStore } from '../wiring/open-connections.ts';
import { ensureAlertToken } from './ensure-alert-token.ts';
import { ensureSetupToken, toSetupTokenFile } from './ensure-setup-token.ts';
import { startApi } from './start-api.ts';

await runMain(async () => {
  const environment = await readEnvironment(process.env);
  const config = loadConfig(environment);
  const stopSignal = waitForStopSignal();
  const log = pino({ level: config.logLevel });
  const registry = createMetricsRegistry(await installTemporalLoggerAndMetrics(log));
  const tracing = await startTracing(environment, 'delivery-api');
  const store = measureStore(await openStore(config), registry);
  const connections = await openConnections(config, store, { tracing });
  observeInstallation(registry, connections);
  await ensureAlertToken(connections.store);
  await ensureSetupToken(connections.store, toSetupTokenFile(config));
  const telemetry = await connectZoneTelemetry(config);
  const uiFolder = await findUi();
  if (uiFolder === undefined) log.warn('The web UI is not built, so this process serves the API only.');
  const ui = uiFolder === undefined ? undefined : await readUiFiles(uiFolder);
  const api = await startApi(config, connections, { log, version, telemetry, registry, tracing, ui });
  const adminServer =
    config.metricsPort &&
    (await startAdminServer(
      { ...connections, registry },
      { ...config, port: config.metricsPort, configuredBy: 'METRICS_PORT' },
    ));
  const { temporalConnection: connection } = connections;
  const credentials = await followCredentials({ connection, temporal: config.temporal, log });
  log.info({ port: config.port, publicUrl: config.publicUrl }, 'ready');
  // The supervisor starts the process again, with the new certificate.
  await Promise.race([stopSignal, credentials.replaced]);
  credentials.stop();
  log.info('stopping');
  await api.stop();
  if (adminServer) await adminServer.stop();
  await telemetry.close();
  await connections.close();
  await tracing?.stop();
  process.exit(0);
});
