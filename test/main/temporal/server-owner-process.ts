// Stands for a platform: it starts a Temporal server, prints its address and runs until it is killed.
import { join } from 'node:path';
import { startTemporalServer } from '../../../src/main/temporal/start-temporal-server.ts';
import { readTemporalSettings } from '../../../src/main/temporal/read-temporal-settings.ts';

const [executable = '', dataDir = ''] = process.argv.slice(2);
const settings = await readTemporalSettings();
const logFile = join(dataDir, 'temporal.log');
const { address } = await startTemporalServer({ executable, settings, logFile, dataDir, port: 0 });
process.stdout.write(`${address}\n`);
setInterval(() => {}, 60_000);
