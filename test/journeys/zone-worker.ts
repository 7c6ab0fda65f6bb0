// A worker of zones alone, in a process of its own, so that it can be killed.
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { atBoundary } from '../../activities/at-boundary.ts';
import { createEnvironmentActivities } from '../../activities/environments.ts';
import { octokitCodehost } from '../../src/integrations/codehost/octokit.ts';
import { codehostCredentials } from '../../src/main/codehost-credentials.ts';
import { workflowBundle } from '../../src/main/workflow-bundle.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';

export type ZoneWorkerSettings = { address: string; storeFile: string; codehostApiUrl: string };

const { address, storeFile, codehostApiUrl: apiUrl } = JSON.parse(process.argv[2] ?? '') as ZoneWorkerSettings;
Runtime.install({ logger: new DefaultLogger('ERROR') });
const store = openSqliteStore({ file: storeFile });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue: defaultTaskQueue,
  workflowBundle: await workflowBundle(() => {}),
  shutdownGraceTime: 0,
  // The next worker is not to wait for this one, which is dead.
  stickyQueueScheduleToStartTimeout: 1_000,
  maxHeartbeatThrottleInterval: 500,
  activities: {
    // Nobody here has a browser, and no picture is asked for.
    keepPlaceholder: async () => {},
    ...atBoundary(
      createEnvironmentActivities({
        store,
        codehost: octokitCodehost({ apiUrl, credentialsOf: codehostCredentials(store), throttle: false }),
        zoneAddress: (zone) => `http://${zone}.localhost:8081`,
        zoneService: (product, zone) => `http://${product}.${zone}:80`,
        zoneChart: { 'Chart.yaml': 'apiVersion: v2\nname: zone\nversion: 1.0.0\n' },
        imageRepository: (org, product) => `registry.local/${org}/${product}`,
        settleMs: 20,
        now: () => new Date(),
      }),
    ),
  },
});
process.once('SIGTERM', () => worker.shutdown());
await worker.run();
await connection.close();
await store.close();
