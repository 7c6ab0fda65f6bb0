import { DefaultLogger, Runtime } from '@temporalio/worker';
import { atBoundary } from '../../activities/at-boundary.ts';
import { createChangeActivities } from '../../activities/changes.ts';
import { createIntakeActivities } from '../../activities/intake.ts';
import { loadConfig } from '../../src/config.ts';
import { connect, openStore } from '../../src/main/connect.ts';
import { createTaskWorkers, queueNames } from '../../src/main/task-workers.ts';
import { workflowBundle } from '../../src/main/workflow-bundle.ts';

/** A worker alone, whose agents are done at once and whose code host holds every issue. */
const [dataDir = '', temporalAddress = ''] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR') });
const config = loadConfig({ DATA_DIR: dataDir, TEMPORAL_ADDRESS: temporalAddress });
const connections = await connect(config, await openStore(config));
const now = (): Date => new Date();
const common = { connection: connections.connection };
const workers = await createTaskWorkers(common, {
  queues: queueNames,
  workflowBundle: await workflowBundle(() => {}),
  activities: atBoundary({
    ...createChangeActivities({ ...connections, now }),
    ...createIntakeActivities({ ...connections, now }),
    readTarget: async () => ({ title: 'An issue', url: 'http://localhost/issues/1', author: 'ada' }),
    agentTurn: async () => ({
      done: true,
      verdict: { outcome: 'done', summary: '' },
      usage: { inputTokens: 0, outputTokens: 0 },
      changed: false,
    }),
  }),
});
process.stdout.write('ready\n');
await Promise.all(workers.map(async (worker) => await worker.run()));
