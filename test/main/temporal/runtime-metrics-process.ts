// Installs the Temporal runtime where the first port that it chooses is in use, and prints the status of its metrics.
import { pino } from 'pino';
import { getFreePort } from '../../../src/main/process/ports.ts';
import { installTemporalLoggerAndMetrics } from '../../../src/main/temporal/temporal-runtime.ts';

const ports = [Number(process.argv[2])];
const readMetrics = await installTemporalLoggerAndMetrics(
  pino({ level: 'silent' }),
  async () => ports.shift() ?? (await getFreePort()),
);
process.stdout.write(`The metrics are a ${typeof (await readMetrics())}.\n`);
process.exit(0);
