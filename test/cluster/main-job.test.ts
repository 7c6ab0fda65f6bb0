import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { type Application, ApplicationKind } from '../../src/rules/environments/delivery-kinds.ts';
import { BuildRunKind } from '../../src/rules/environments/delivery-kinds.ts';
import { keepEnvironmentId } from '../../workflows/environments/messages.ts';
import {
  CodehostFacts,
  approve,
  approveZone,
  createAcme,
  getRelease,
  runIs,
  startChange,
  until,
} from '../support/acme.ts';
import { Installation } from '../support/installation.ts';
import type { Replica } from '../support/replica.ts';
// For what it declares that the run provides.
import type {} from '../support/temporal.ts';
import { kubectl } from './install-kinds.ts';
import { onCluster } from './on-cluster.ts';
import { openClusterStore } from './open-cluster-store.ts';

const cluster = inject('cluster');
const zones = ['hello-rc', 'hello-prod'];
let installation: Installation;
let api: Api;
let serving: Replica[];
let working: Replica[];

beforeAll(async () => {
  installation = await Installation.start(inject('temporalExecutable') ?? '', onCluster(cluster, inject('helm')));
  ({ serving, working } = await installation.startTwoOfEach());
  api = await installation.asRoot();
  await createAcme(api);
  await api.post('/v1/orgs/acme/products', { name: 'hello', spec: { repos: ['acme/hello'] } });
});
afterAll(async () => await installation?.close());

/** The process that waits for a zone to get healthy. */
async function waitsFor(zone: string): Promise<number | undefined> {
  const connection = await Connection.connect({ address: installation.environment['TEMPORAL_ADDRESS'] ?? '' });
  try {
    const handle = new Client({ connection }).workflow.getHandle(
      keepEnvironmentId({ org: 'acme', product: 'hello', zone }),
    );
    const { raw } = await handle.describe();
    const waiting = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'awaitHealthy');
    return waiting?.lastWorkerIdentity ? Number.parseInt(waiting.lastWorkerIdentity, 10) : undefined;
  } finally {
    await connection.close();
  }
}

async function startedRelease(run: string): Promise<string> {
  const look = async () => await api.get<{ release?: string }>(`/v1/orgs/acme/agentworkflowruns/${run}`);
  return (await until(look, ({ release }) => release !== undefined)).release ?? '';
}

const zoneIs = async (release: string, zone: string, phase: string) =>
  await until(
    async () => await getRelease(api, release),
    ({ status }) => status.zones.some((one) => one.name === zone && one.phase === phase),
    180_000,
  );

it('takes a Change to production in a cluster, while one API and one worker are killed on the way', async () => {
  const startedAt = Date.now();
  const said = (what: string) =>
    void process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s ${what}\n`);
  const run = await startChange(api, 'hello', 'Greet visitors by name');
  await runIs(api, run, 'WaitingForPerson');
  said('agents have written and reviewed it; one of two APIs is killed');
  await serving[0]?.kill();
  await approve(api, run);
  const release = await startedRelease(run);
  said(`merged; ${release} has begun`);

  const pid = await until(
    async () => await waitsFor('hello-rc'),
    (found) => found !== undefined,
    120_000,
  );
  const waiting = working.find((one) => one.pid === pid);
  expect(waiting).toBeDefined();
  await waiting?.kill();
  said('the worker is killed that waits for Argo CD');
  await zoneIs(release, 'hello-prod', 'WaitingForApproval');
  said('verified in hello-rc');
  await approveZone(api, release, 'hello-prod');
  const { status } = await until(
    async () => await getRelease(api, release),
    (view) => view.status.phase === 'Succeeded',
    180_000,
  );
  said('verified in hello-prod');

  const store = await openClusterStore(cluster);
  const codehost = new CodehostFacts(installation);
  const commits = (await codehost.commits('acme/gitops')).map(({ sha }) => sha);
  for (const zone of zones) {
    const { gitopsCommit = '' } = status.zones.find(({ name }) => name === zone) as { gitopsCommit?: string };
    const { status: synced } = await store.get(ApplicationKind, { namespace: 'org-acme', name: zone });
    expect(synced).toMatchObject({
      sync: { status: 'Synced' },
      health: { status: 'Healthy' },
    } satisfies Application['status']);
    // The newest come first: ours, or one after it.
    const revision = commits.indexOf(synced?.sync?.revision ?? '');
    expect(commits.indexOf(gitopsCommit)).toBeGreaterThanOrEqual(0);
    expect(revision).toBeLessThanOrEqual(commits.indexOf(gitopsCommit));
    const pods = await kubectl(cluster, [
      'get',
      'pods',
      '-n',
      zone,
      '-o',
      'jsonpath={.items[*].spec.containers[*].image}',
    ]);
    expect(pods).toBe(`registry.local/acme/hello@${status.digest}`);
  }
  const { items: builds } = await store.list(BuildRunKind, { namespace: 'org-acme' });
  await store.close();
  expect(builds).toHaveLength(1);
  expect((await codehost.tags('acme/hello')).map(({ name }) => name)).toEqual(['v0.1.0']);
  expect(await codehost.pulls('acme/hello')).toHaveLength(1);
  for (const replica of [serving[1], working.find((one) => one !== waiting)]) expect(replica?.complaints()).toEqual([]);
}, 420_000);
