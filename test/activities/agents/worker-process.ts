// A worker of its own, which dies where it is told to: its tools know when, the product does not.
import { kill, pid } from 'node:process';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { atBoundary } from '../../../activities/at-boundary.ts';
import { type AgentTurn, createAgentActivities } from '../../../activities/agents.ts';
import { createChangeActivities } from '../../../activities/changes.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { codehostCredentials } from '../../../src/main/codehost-credentials.ts';
import { createTaskWorkers, queueNames } from '../../../src/main/task-workers.ts';
import { workflowBundle } from '../../../src/main/workflow-bundle.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { testSandbox } from '../../support/test-sandbox.ts';
import { type Watch, watchedDeps } from './watched-deps.ts';

export type WorkerSettings = {
  address: string;
  taskQueue: string;
  storeFile: string;
  blobsDir: string;
  checkoutsDir: string;
  codehostApiUrl: string;
  modelUrl: string;
  /** Where it dies, or is told to shut down. */
  ending?: { point: string; turn: number; isTold: boolean };
};

const settings = JSON.parse(process.argv[2] ?? '') as WorkerSettings;
let turn = 0;

const end: Watch = async (point, getInto) => {
  const { ending } = settings;
  if (ending?.point !== point || ending.turn !== turn) return;
  await getInto?.();
  if (ending.isTold) return shutdown();
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
    credentialsOf: codehostCredentials(store),
    throttle: false,
  }),
  models: createModels({ providerOf: async () => undefined, pricesOf: async () => [], installation }),
  sandbox: testSandbox(),
  checkoutsDir: settings.checkoutsDir,
  now: () => new Date(),
};
const watched = watchedDeps(deps, end);
const activities = atBoundary({ ...createAgentActivities(watched), ...createChangeActivities(watched) });
const connection = await NativeConnection.connect({ address: settings.address });
const common = {
  connection,
  shutdownGraceTime: 200,
  // The next worker is not to wait for this one, which is dead.
  stickyQueueScheduleToStartTimeout: 1_000,
  maxHeartbeatThrottleInterval: 500,
};
const workers = await createTaskWorkers(common, {
  queues: queueNames,
  taskQueue: settings.taskQueue,
  workflowBundle: await workflowBundle(() => {}),
  activities: {
    ...activities,
    async agentTurn(input: AgentTurn) {
      turn = input.turn;
      const outcome = await activities.agentTurn(input);
      await end('taken');
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
