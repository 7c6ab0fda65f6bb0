import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { type Application, ApplicationKind } from '../../src/kinds/argo-cd.ts';
import { BuildRunKind } from '../../src/kinds/shipwright.ts';
import { manageZoneId } from '../../workflows/environments/messages.ts';
import {
  approveRunStep,
  approveZone,
  createAcmeOrg,
  getRelease,
  waitForRunPhase,
  startChange,
} from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { Installation } from '../support/platform/installation.ts';
import type { Replica } from '../support/platform/replica.ts';
// The import declares the values that the global setup provides.
import type {} from '../support/global-setup/temporal.ts';
import { kubectl } from './control-plane/kubectl.ts';
import { createClusterBackend, gateImage } from './cluster-backend.ts';
import { accountEnvironment } from './create-chart-account.ts';
import { openClusterStore } from './open-cluster-store.ts';

const cluster = inject('cluster');
const zones = ['hello-rc', 'hello-prod'];
let installation: Installation;
let api: ApiClient;
let apis: Replica[];
let workers: Replica[];

beforeAll(async () => {
  installation = await Installation.start(
    inject('temporalExecutable') ?? '',
    createClusterBackend(cluster, inject('helm')),
  );
  ({ apis, workers } = await installation.startTwoOfEach(accountEnvironment(installation.folder, 'worker')));
  api = await installation.signInAsRoot();
  await createAcmeOrg(api);
  // Production requires sign-in unless its spec says otherwise.
  await api.post('/v1/orgs/acme/products', { name: 'hello', spec: { repos: ['acme/hello'] } });
});
afterAll(async () => await installation?.close());

/** Finds the process whose activity waits until the zone is healthy. */
async function findWaitingPid(zone: string): Promise<number | undefined> {
  const connection = await Connection.connect({ address: installation.environment['TEMPORAL_ADDRESS'] ?? '' });
  try {
    const handle = new Client({ connection }).workflow.getHandle(manageZoneId({ org: 'acme', product: 'hello', zone }));
    const { raw } = await handle.describe();
    const waiting = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'waitForZoneHealth');
    return waiting?.lastWorkerIdentity ? Number.parseInt(waiting.lastWorkerIdentity, 10) : undefined;
  } finally {
    await connection.close();
  }
}

async function waitForRelease(run: string): Promise<string> {
  const readRun = async () => await api.get<{ release?: string }>(`/v1/orgs/acme/agentworkflowruns/${run}`);
  return (await waitUntil(readRun, ({ release }) => release !== undefined)).release ?? '';
}

const waitForZone = async (release: string, zone: string, phase: string) =>
  await waitUntil(
    async () => await getRelease(api, release),
    ({ status }) => status.zones.some((one) => one.name === zone && one.phase === phase),
    180_000,
  );

it('delivers a Change to production in a cluster while one API and one worker are killed', async () => {
  const startedAt = Date.now();
  const logProgress = (message: string) =>
    void process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s ${message}\n`);
  const run = await startChange(api, 'hello', 'Greet visitors by name');
  await waitForRunPhase(api, run, 'WaitingForPerson');
  logProgress('agents have written and reviewed it; killing one of two APIs');
  await apis[0]?.kill();
  await approveRunStep(api, run);
  const release = await waitForRelease(run);
  logProgress(`merged; ${release} has started`);

  const pid = await waitUntil(
    async () => await findWaitingPid('hello-rc'),
    (found) => found !== undefined,
    120_000,
  );
  const waiting = workers.find((one) => one.pid === pid);
  expect(waiting).toBeDefined();
  await waiting?.kill();
  logProgress('killed the worker that waits for Argo CD');
  await waitForZone(release, 'hello-prod', 'WaitingForApproval');
  logProgress('verified in hello-rc');
  await approveZone(api, release, 'hello-prod');
  const { status } = await waitUntil(
    async () => await getRelease(api, release),
    (view) => view.status.phase === 'Succeeded',
    180_000,
  );
  logProgress('verified in hello-prod');

  const store = await openClusterStore(cluster);
  const codehost = new CodehostReader(installation);
  const commits = (await codehost.commits('acme/gitops')).map(({ sha }) => sha);
  for (const zone of zones) {
    const { gitopsCommit = '' } = status.zones.find(({ name }) => name === zone) as { gitopsCommit?: string };
    const { status: synced } = await store.get(ApplicationKind, { namespace: 'org-acme', name: zone });
    expect(synced).toMatchObject({
      sync: { status: 'Synced' },
      health: { status: 'Healthy' },
    } satisfies Application['status']);
    // Commits are sorted newest first, and the synced one may be later than ours.
    const revision = commits.indexOf(synced?.sync?.revision ?? '');
    expect(commits.indexOf(gitopsCommit)).toBeGreaterThanOrEqual(0);
    expect(revision).toBeLessThanOrEqual(commits.indexOf(gitopsCommit));
    const readImages = async (selector: string) =>
      await kubectl(cluster, [
        'get',
        'pods',
        `--namespace=${zone}`,
        `--selector=app.kubernetes.io/component${selector}`,
        '--output=jsonpath={.items[*].spec.containers[*].image}',
      ]);
    expect(await readImages('!=gate')).toBe(`registry.local/acme/hello@${status.digest}`);
    expect(await readImages('=gate')).toBe(zone === 'hello-prod' ? gateImage : '');
  }
  const { items: builds } = await store.list(BuildRunKind, { namespace: 'org-acme' });
  await store.close();
  // The cluster drops fields that the builder does not know.
  expect(builds.map(({ spec }) => spec.serviceAccount)).toEqual(['builds']);
  expect((await codehost.tags('acme/hello')).map(({ name }) => name)).toEqual(['v0.1.0']);
  expect(await codehost.pulls('acme/hello')).toHaveLength(1);
  for (const replica of [apis[1], workers.find((one) => one !== waiting)]) expect(replica?.loggedErrors()).toEqual([]);
}, 420_000);

it('measures its store, and reads the costs of agents with the account of the API', async () => {
  const scrape = async (replica: Replica | undefined): Promise<string> =>
    await (await fetch(replica?.metricsUrl ?? '')).text();
  // One worker was killed.
  const texts = await Promise.all(workers.map(async (one) => await scrape(one).catch(() => undefined)));
  await scrape(apis[1]);
  // The failures of a scrape are counted for the next one.
  const metrics = await scrape(apis[1]);
  for (const text of [metrics, texts.find((one) => one !== undefined)])
    expect(text).toMatch(
      /delivery_store_operation_duration_seconds_count\{operation="updateStatus",kind="\w+",consistency="strong",outcome="ok"\} [1-9]/,
    );
  expect(metrics).toMatch(/delivery_agent_tokens_today\{org="acme",direction="output"\} [1-9]/);
  for (const source of ['task-queues', 'deliveries', 'agent-costs'])
    expect(metrics).toContain(`delivery_metrics_readings_failed_total{source="${source}"} 0`);
});
