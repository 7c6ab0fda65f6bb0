import type { Registry } from 'prom-client';
import { createActivities } from '../../../activities/index.ts';
import type { Config } from '../../config.ts';
import type { Browser } from '../../integrations/browser/browser.ts';
import { isCloudflareAddress } from '../../integrations/dns/is-cloudflare-address.ts';
import type { OpenNetwork } from '../../integrations/network/egress-proxy.ts';
import { applyDomainState } from '../../reconcile/apply-domain-state.ts';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import { countBudgetStops } from '../operator-metrics/count-budget-stops.ts';
import type { Connections } from '../wiring/open-connections.ts';
import { startOrgWorkflows } from './start-org-workflows.ts';
import { startSchedules } from './start-schedules.ts';
import { createTaskWorkers } from './create-task-workers.ts';
import type { QueueName } from './queue-names.ts';
import { createDataConverter } from '../temporal/data-converter.ts';
import { logActivityAttributes } from './log-activity-attributes.ts';
import { notifyDomainWorkflow } from './notify-domain-workflow.ts';
import type { Tracing } from '../tracing/start-tracing.ts';
import { version } from '../process/version.ts';
import { createWorkerIdentity } from './worker-identity.ts';
import { createDecisionJudge } from '../wiring/decision-keys.ts';
import { loadZoneChart } from '../wiring/load-zone-chart.ts';

export type StartWorkerOptions = {
  queues: readonly QueueName[];
  sandbox: Sandbox;
  /** Absent if the installation allows no network to agents. */
  openNetwork?: OpenNetwork | undefined;
  browser: Browser;
  /** Absent if a registry holds the images. */
  isImageDeleted?: (digest: string) => Promise<boolean>;
  workflowBundle: { codePath: string };
  /** Absent if no collector is named; the workflow bundle is then the one without interceptors. */
  tracing?: Tracing | undefined;
  registry: Registry;
  /** This process's folder for checkouts, and the name of the task queue for activities that need its files. */
  checkouts: { path: string; name: string };
};

/** Activities that do not finish within this time of a shutdown are retried by another worker. */
const shutdownGraceMs = 3_000;

/** Activities learn of their cancellation from heartbeat responses, and the SDK's default throttling delays those. */
const heartbeatThrottleMaxMs = 1_000;

/** Starts the workers of the given queues; `stop` drains them. */
export async function startWorker(
  config: Config,
  {
    store,
    blobs,
    backups,
    codehost,
    models,
    registries,
    dns,
    workloadClusters,
    monitoring,
    temporalConnection,
    temporal,
  }: Connections,
  {
    queues,
    sandbox,
    openNetwork,
    browser,
    isImageDeleted,
    workflowBundle,
    tracing,
    registry,
    checkouts,
  }: StartWorkerOptions,
): Promise<{ stop(): Promise<void>; isRunning(): boolean; ended: Promise<unknown> }> {
  const now = (): Date => new Date();
  const activities = createActivities({
    store,
    blobs,
    backups,
    version,
    codehost,
    sandbox,
    ...(openNetwork && { openNetwork }),
    browser,
    ...(isImageDeleted && { isImageDeleted }),
    models,
    dns,
    domains: config.domains,
    isProxied: isCloudflareAddress,
    notifyDomainWorkflow: notifyDomainWorkflow(temporal),
    applyDomainState: async (ref) => await applyDomainState({ store, temporal, config }, ref),
    checkoutsDir: checkouts.path,
    host: checkouts.name,
    zoneAddress: config.zoneAddress,
    workloadClusters,
    monitoring,
    metricsRetentionMs: config.metricsRetentionMs,
    metricsLabels: config.metricsLabels,
    alertWebhookUrl: config.alertWebhookUrl,
    zoneService: config.zoneService,
    allowedInside: config.allowedInside,
    imageRepository: config.imageRepository,
    buildStrategy: config.buildStrategy,
    registry: config.registry,
    registries,
    zoneChart: await loadZoneChart(config),
    argoCdNamespace: config.argoCdNamespace,
    network: config.network,
    hasGateway: config.ingressGateway !== undefined,
    quotas: config.quotas,
    healthRecheckDelayMs: 300,
    decisions: createDecisionJudge(store, now),
    now,
  });
  const converter = createDataConverter(config.temporal.encryptionKeys);
  const common = {
    connection: temporalConnection,
    namespace: config.temporal.namespace,
    ...createWorkerIdentity(workflowBundle),
    shutdownGraceTime: shutdownGraceMs,
    maxHeartbeatThrottleInterval: heartbeatThrottleMaxMs,
    ...(converter && { dataConverter: converter }),
    interceptors: { activity: [logActivityAttributes, countBudgetStops(registry)] },
    ...(tracing && { plugins: [tracing.plugin] }),
  };
  const workers = await createTaskWorkers(common, { queues, activities, workflowBundle, host: checkouts.name });
  const running = Promise.all(workers.map(async (worker) => await worker.run()));
  if (queues.includes('workflows'))
    await Promise.all([startOrgWorkflows(store, temporal), startSchedules({ store, temporal })]);
  return {
    isRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    ended: running,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}
