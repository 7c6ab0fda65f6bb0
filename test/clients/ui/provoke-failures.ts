import { expect } from 'vitest';
import type { ApiClient } from '../../../src/clients/api-client.ts';
import type { Failure } from '../../../src/clients/demo/views.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import * as acme from '../../support/platform/acme.ts';
import { waitUntil } from '../../support/platform/wait-until.ts';
import type { World } from './failing-platform.ts';

const quick = 'quick-change';

/** A page with the texts of the API that it must show above the fold: the cause, the resource and the fix. */
export type Shown = { what: string; path: string; texts: (string | undefined)[] };
type Full = Failure & { resource: string };

const show = (what: string, path: string, failure: Failure | undefined): Shown => {
  const { message, resource, fix } = (failure ?? {}) as Partial<Full>;
  return { what, path, texts: [message, resource, fix] };
};

const startWaitingChange = async (api: ApiClient, product: string, title: string): Promise<string> => {
  const run = await acme.startChange(api, product, title, quick);
  await acme.waitForRunPhase(api, run, 'WaitingForPerson');
  return run;
};

const waitForRelease = async (api: ApiClient, run: string): Promise<string> =>
  (
    await waitUntil(
      async () => await acme.getRun(api, run),
      ({ release }) => release !== undefined,
    )
  ).release ?? '';

async function release(api: ApiClient, product: string, title: string): Promise<{ run: string; name: string }> {
  const run = await startWaitingChange(api, product, title);
  await acme.approveRunStep(api, run);
  return { run, name: await waitForRelease(api, run) };
}

async function failBuild({ platform, api }: World): Promise<Shown[]> {
  await acme.createProduct(platform, api, { name: 'unbuildable' });
  const { run, name } = await release(api, 'unbuildable', 'Drop the start script');
  const { status } = await acme.waitForReleasePhase(api, name, 'Failed');
  return [
    show('failed build', `/acme/releases/${name}`, status.failure),
    show('failed build of a Change', `/acme/changes/${run}`, status.failure),
  ];
}

async function failSmokeCheck({ platform, api }: World): Promise<Shown[]> {
  await acme.createProduct(platform, api, { name: 'smoky' });
  const { run, name } = await release(api, 'smoky', 'Answer 500 on the front page');
  const { status } = await acme.waitForReleasePhase(api, name, 'Failed');
  const failure = status.zones.find((zone) => zone.name === 'smoky-rc')?.failure;
  return [
    show('failed smoke check', `/acme/releases/${name}`, failure),
    show('failed smoke check of a Change', `/acme/changes/${run}`, failure),
    show('failed smoke check of a zone', '/acme/products/smoky/zones/smoky-rc', failure),
  ];
}

/** Commits to the same line while the Change waits, and then during each round of the resolver. */
async function conflict({ platform, api, gate }: World): Promise<Shown[]> {
  await acme.createProduct(platform, api, { name: 'moon', files: { 'greeting.txt': 'Hello, world\n' } });
  const url = `${platform.codehostUrl}/api/v3/repos/acme/moon/contents/greeting.txt`;
  const headers = { authorization: `Bearer ${await platform.codehostToken()}` };
  let commits = 0;
  const commit = async (): Promise<void> => {
    commits += 1;
    const { sha } = (await (await fetch(url, { headers })).json()) as { sha: string };
    const content = Buffer.from(`Hello, base ${commits}\n`).toString('base64');
    const body = JSON.stringify({ message: 'Greet the base', content, sha, branch: 'main' });
    expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200);
  };
  const commitInEachTurn = (): void =>
    gate.beforeNext(
      ({ body }) => body.includes('conflict-resolver') && body.includes('Greet the moon'),
      async () => {
        commitInEachTurn();
        await commit();
      },
    );
  commitInEachTurn();
  const run = await startWaitingChange(api, 'moon', 'Greet the moon');
  await commit();
  // The changes of a resolver need another approval.
  const { status } = await waitUntil(
    async () => {
      await acme.approvePending(api, run);
      return await acme.getRun(api, run);
    },
    ({ status: { phase } }) => phase === 'Failed',
  );
  expect(status).toMatchObject({ conflictRounds: 3, failure: { reason: 'merge-conflict' } });
  return [show('conflict after round 3', `/acme/changes/${run}`, status.failure)];
}

async function reachLimit({ platform, api }: World): Promise<Shown[]> {
  await acme.createProduct(platform, api, { name: 'read' });
  const spec = { responsibilities: ['Read.'], limits: { turns: 1 } };
  await api.post('/v1/orgs/acme/agentroles', { name: 'hasty', spec });
  const steps = [
    { name: 'implement', type: 'agent', role: 'hasty', mode: 'change' },
    ...changeAgentWorkflow.steps.slice(3),
  ];
  await api.post('/v1/orgs/acme/agentworkflows', { name: 'hasty', spec: { enabled: true, triggers: [], steps } });
  const run = await acme.startChange(api, 'read', 'Read everything', 'hasty');
  const { status } = await acme.waitForStepPhase(api, run, { step: 'implement', phase: 'NeedsGuidance' });
  const [explained] = await explain(api, `run:${run}`);
  expect(explained?.rule).toBe('turn-limit-reached');
  const { message } = status.steps[0]?.waitingFor ?? {};
  expect(message).toContain("raise the AgentRole's limit of turns");
  return [{ what: 'limit of an agent', path: `/acme/changes/${run}`, texts: [message, 'implement'] }];
}

/** The first of two Releases is superseded, and the second is rejected at production; a Change is rejected too. */
async function supersedeAndReject({ platform, api }: World): Promise<Shown[]> {
  await acme.createProduct(platform, api, { name: 'twice' });
  const refused = await startWaitingChange(api, 'twice', 'Drop the start script');
  await api.post(`/v1/orgs/acme/agentworkflowruns/${refused}/steps/approve-change/reject`, { note: 'not now' });
  const older = await release(api, 'twice', 'Greet visitors by name');
  const zone = 'twice-prod';
  await acme.waitForZonePhase(api, older.name, { zone, phase: 'WaitingForApproval' });
  const newer = await release(api, 'twice', 'Show the time on the page');
  await acme.waitForReleasePhase(api, older.name, 'Superseded');
  await acme.waitForZonePhase(api, newer.name, { zone, phase: 'WaitingForApproval' });
  await api.post(`/v1/orgs/acme/releases/${newer.name}/zones/${zone}/reject`, { note: 'not before Monday' });
  const { status } = await acme.waitForReleasePhase(api, newer.name, 'Failed');
  const [explained] = await explain(api, `promotion:${older.name}/${zone}`);
  const run = await acme.waitForRunPhase(api, refused, 'Failed');
  const rejection = status.zones.find(({ name }) => name === zone)?.failure;
  return [
    show('rejected Change', `/acme/changes/${refused}`, run.status.failure),
    show('rejected promotion', `/acme/releases/${newer.name}`, rejection),
    show('rejected promotion of a Change', `/acme/changes/${newer.run}`, rejection),
    {
      what: 'stale promotion',
      path: `/acme/releases/${older.name}`,
      texts: [explained?.message, zone, explained?.fix],
    },
  ];
}

async function claimUnprovenDomain({ api }: World): Promise<Shown[]> {
  const name = 'tidewater.example';
  await api.post('/v1/orgs/acme/domains', { name, kind: 'external' });
  await waitUntil(
    async () => await api.get<{ status: { lastCheckedAt?: string } }>(`/v1/orgs/acme/domains/${name}`),
    ({ status }) => status.lastCheckedAt !== undefined,
  );
  const [explained] = await explain(api, `domain:${name}`);
  return [
    { what: 'domain not verified', path: `/acme/domains/${name}`, texts: [explained?.message, name, explained?.fix] },
  ];
}

type Explained = { rule: string; message: string; fix?: string };
const explain = async (api: ApiClient, about: string): Promise<Explained[]> =>
  (await api.get<{ items: Explained[] }>(`/v1/orgs/acme/explain?about=${encodeURIComponent(about)}`)).items;

/** Lets the service run into each of its failures. */
export const provokeFailures = async (world: World): Promise<Shown[]> =>
  (
    await Promise.all(
      [failBuild, failSmokeCheck, conflict, reachLimit, supersedeAndReject, claimUnprovenDomain].map(
        async (provoke) => await provoke(world),
      ),
    )
  ).flat();
