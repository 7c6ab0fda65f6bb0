import { pino } from 'pino';
import { loadConfig } from '../../src/config.ts';
import { connect, openStore } from '../../src/main/connect.ts';
import { startApi } from '../../src/main/run-api.ts';

/** The API alone, as one of its replicas runs; what goes wrong in it is written to its standard error. */
const [dataDir = '', temporalAddress = '', port = ''] = process.argv.slice(2);
const config = loadConfig({ DATA_DIR: dataDir, TEMPORAL_ADDRESS: temporalAddress, PORT: port });
const connections = await connect(config, await openStore(config));
const telemetry = { logs: async () => [], series: async () => [] };
const log = pino({ level: 'warn' }, pino.destination(2));
await startApi(config, connections, { log, version: 'test', telemetry });
process.stdout.write('ready\n');
