// Runs a worker that kills itself at a given checkpoint; only the dependencies know the checkpoint.
import { kill, pid } from 'node:process';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import { type RunAgentTurnInput, createAgentActivities } from '../../../activities/agents/agent-activities.ts';
import { createDecisionActivities } from '../../../activities/access/decision-activities.ts';
import { createChangeActivities } from '../../../activities/changes/change-activities.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { findCodehostCredentials } from '../../../src/main/wiring/find-codehost-credentials.ts';
import { createTaskWorkers } from '../../../src/main/worker/create-task-workers.ts';
import { queueNames } from '../../../src/main/worker/queue-names.ts';
import { buildWorkflowBundle } from '../../../src/main/worker/build-workflow-bundle.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { createTestSandbox } from '../../support/test-sandbox.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';
import { type Checkpoint, withCheckpoints } from './with-checkpoints.ts';

export type WorkerSettings = {
  address: string;
  taskQueue: string;
  storeFile: string;
  blobsDir: string;
  checkoutsDir: string;
  codehostApiUrl: string;
  modelUrl: string;
  /** The checkpoint at which the worker is killed, or shut down when `isShutdown` is true. */
  endAt?: { point: string; turn: number; isShutdown: boolean };
};

const settings = JSON.parse(process.argv[2] ?? '') as WorkerSettings;
let turn = 0;

const endAtPoint: Checkpoint = async (point, runHalfway) => {
  const { endAt } = settings;
  if (endAt?.point !== point || endAt.turn !== turn) return;
  await runHalfway?.();
  if (endAt.isShutdown) return shutdown();
  kill(pid, 'SIGKILL');
  await new Promise(() => {});
};

Runtime.install({ logger: new DefaultLogger('ERROR') });
const store = openSqliteStore({ file: settings.storeFile });
const installation = { kind: 'openai-compatible' as const, baseUrl: settings.modelUrl, model: 'm', apiKey: 'none' };
const deps = {
  store,
  blobs: directoryBlobs(settings.blobsDir),
  codehost: octokitCodehost({
    apiUrl: settings.codehostApiUrl,
    findCredentials: findCodehostCredentials(store),
    throttle: false,
  }),
  models: createModels({
    findProvider: async () => undefined,
    listPrices: async () => [],
    judged: createTestDispatcher(),
    defaultProvider: installation,
  }),
  sandbox: createTestSandbox(),
  checkoutsDir: settings.checkoutsDir,
  decisions: trustingJudge,
  now: () => new Date(),
};
const depsWithCheckpoints = withCheckpoints(deps, endAtPoint);
const activities = wrapActivities({
  ...createAgentActivities(depsWithCheckpoints),
  ...createDecisionActivities(depsWithCheckpoints),
  ...createChangeActivities(depsWithCheckpoints),
});
const connection = await NativeConnection.connect({ address: settings.address });
const common = {
  connection,
  shutdownGraceTime: 200,
  // The next worker must not wait long for this one.
  stickyQueueScheduleToStartTimeout: 1_000,
  maxHeartbeatThrottleInterval: 500,
};
const workers = await createTaskWorkers(common, {
  queues: queueNames,
  taskQueue: settings.taskQueue,
  workflowBundle: await buildWorkflowBundle(() => {}),
  activities: {
    ...activities,
    async runAgentTurn(input: RunAgentTurnInput) {
      turn = input.turn;
      const outcome = await activities.runAgentTurn(input);
      await endAtPoint('turn finished');
      return outcome;
    },
  },
});
const shutdown = (): void => {
  for (const worker of workers) worker.shutdown();
};
process.once('SIGTERM', shutdown);
await Promise.all(workers.map(async (worker) => await worker.run()));
await connection.close();
await store.close();
