// Stands for a worker: it connects to a Temporal server, logs to standard error, and runs until it is killed.
import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { installTemporalLogger } from '../../../src/main/temporal/temporal-runtime.ts';

const [address = ''] = process.argv.slice(2);
installTemporalLogger(pino({ level: 'debug' }, pino.destination({ dest: 2, sync: true })));
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({ connection, taskQueue: 'nothing', activities: { rest: async () => {} } });
await worker.run();
