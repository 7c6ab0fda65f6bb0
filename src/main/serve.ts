import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../config.ts';
import { asProgram, untilStopped } from './arguments.ts';
import { connect, openStore } from './connect.ts';
import { openTelemetry } from './open-telemetry.ts';
import { readEnvironment } from './read-environment.ts';
import { startApi } from './run-api.ts';
import { observeRuntime } from './runtime.ts';
import { serviceMetrics } from './service-metrics.ts';
import { ensureSetupToken } from './setup-token.ts';
import { startSide } from './side.ts';
import { version } from './version.ts';

await asProgram(async () => {
  const environment = await readEnvironment(process.env);
  const config = loadConfig(environment);
  const stopped = untilStopped();
  const log = pino({ level: config.logLevel });
  const registry = serviceMetrics(await observeRuntime(log));
  const connections = await connect(config, await openStore(config));
  await ensureSetupToken(connections.store, join(config.dataDir, 'setup-token'));
  const telemetry = await openTelemetry(config);
  const api = await startApi(config, connections, { log, version, telemetry, registry });
  const side =
    config.metricsPort && (await startSide({ ...connections, registry }, { ...config, port: config.metricsPort }));
  log.info({ port: config.port, publicUrl: config.publicUrl }, 'ready');
  await stopped;
  log.info('stopping');
  await api.stop();
  if (side) await side.stop();
  await telemetry.close();
  await connections.close();
  process.exit(0);
});
