import { DefaultLogger, Runtime } from '@temporalio/worker';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import { createChangeActivities } from '../../../activities/changes/change-activities.ts';
import { createIntakeActivities } from '../../../activities/intake/intake-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { openConnections, openStore } from '../../../src/main/wiring/open-connections.ts';
import { createTaskWorkers } from '../../../src/main/worker/create-task-workers.ts';
import { queueNames } from '../../../src/main/worker/queue-names.ts';
import { trustingJudge } from '../trusting-judge.ts';
import { buildWorkflowBundle } from '../../../src/main/worker/build-workflow-bundle.ts';

/** A worker whose agents finish at once and whose code host has every issue. */
const [dataDir = '', temporalAddress = ''] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR') });
const config = loadConfig({ DATA_DIR: dataDir, TEMPORAL_ADDRESS: temporalAddress });
const connections = await openConnections(config, await openStore(config));
const now = (): Date => new Date();
const common = { connection: connections.temporalConnection };
const workers = await createTaskWorkers(common, {
  queues: queueNames,
  workflowBundle: await buildWorkflowBundle(() => {}),
  activities: wrapActivities({
    ...createChangeActivities({ ...connections, decisions: trustingJudge, now }),
    ...createIntakeActivities({ ...connections, now, quotas: config.quotas }),
    readTarget: async () => ({ title: 'An issue', url: 'http://localhost/issues/1', author: 'ada' }),
    runAgentTurn: async () => ({
      done: true,
      verdict: { outcome: 'done', summary: '' },
      usage: { inputTokens: 0, outputTokens: 0 },
      changed: false,
    }),
  }),
});
process.stdout.write('ready\n');
await Promise.all(workers.map(async (worker) => await worker.run()));
