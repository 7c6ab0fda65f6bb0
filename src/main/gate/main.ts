import { pino } from 'pino';
import { runMain } from '../process/run-main.ts';
import { waitForStopSignal } from '../process/stop-signal.ts';
import { readGateSettings } from './read-gate-settings.ts';
import { startGate } from './start-gate.ts';

await runMain(async () => {
  const settings = readGateSettings(process.env);
  const stopSignal = waitForStopSignal();
  const log = pino();
  const gate = await startGate(settings, log);
  log.info({ port: gate.port, zone: settings.zone }, 'ready');
  await stopSignal;
  log.info('stopping');
  await gate.stop();
  process.exit(0);
});
