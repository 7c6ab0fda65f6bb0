// This process runs a worker for zones only, so that a test can kill it.
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { wrapActivities } from '../../activities/wrap-activities.ts';
import { createDecisionActivities } from '../../activities/access/decision-activities.ts';
import { createEnvironmentActivities } from '../../activities/environments/environment-activities.ts';
import { loadConfig } from '../../src/config.ts';
import { octokitCodehost } from '../../src/integrations/codehost/octokit.ts';
import { findCodehostCredentials } from '../../src/main/wiring/find-codehost-credentials.ts';
import { buildWorkflowBundle } from '../../src/main/worker/build-workflow-bundle.ts';
import { createTaskWorkers } from '../../src/main/worker/create-task-workers.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { trustingJudge } from '../support/trusting-judge.ts';
import { buildWorkloadClusters } from '../support/workload-clusters.ts';

export type ZoneWorkerSettings = { address: string; storeFile: string; codehostApiUrl: string };

const { address, storeFile, codehostApiUrl: apiUrl } = JSON.parse(process.argv[2] ?? '') as ZoneWorkerSettings;
Runtime.install({ logger: new DefaultLogger('ERROR') });
const store = openSqliteStore({ file: storeFile });
const connection = await NativeConnection.connect({ address });
const common = {
  connection,
  shutdownGraceTime: 0,
  // The next worker must not wait for this one after a kill.
  stickyQueueScheduleToStartTimeout: 1_000,
  maxHeartbeatThrottleInterval: 500,
};
const workers = await createTaskWorkers(common, {
  queues: ['workflows', 'activities'],
  workflowBundle: await buildWorkflowBundle(() => {}),
  activities: {
    // No browser is available, and the test needs no screenshots.
    saveScreenshotPlaceholder: async () => {},
    ...wrapActivities({
      ...createDecisionActivities({ decisions: trustingJudge }),
      ...createEnvironmentActivities({
        store,
        codehost: octokitCodehost({ apiUrl, findCredentials: findCodehostCredentials(store), throttle: false }),
        zoneAddress: (zone) => `http://${zone}.localhost:8081`,
        domains: loadConfig({}).domains,
        allowedInside: [],
        zoneService: (product, zone) => `http://${product}.${zone}:80`,
        zoneChart: { 'Chart.yaml': 'apiVersion: v2\nname: zone\nversion: 1.0.0\n' },
        registry: { push: undefined, pull: undefined },
        workloadClusters: buildWorkloadClusters({}),
        argoCdNamespace: 'argocd',
        network: loadConfig({}).network,
        imageRepository: (org, product) => `registry.local/${org}/${product}`,
        healthRecheckDelayMs: 20,
        decisions: trustingJudge,
        now: () => new Date(),
      }),
    }),
  },
});
process.once('SIGTERM', () => {
  for (const worker of workers) worker.shutdown();
});
await Promise.all(workers.map(async (worker) => await worker.run()));
await connection.close();
await store.close();
