import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import type { AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import type { RunSpec, RunStatus } from '../../src/rules/changes/kinds.ts';
import type { ReleaseStatus } from '../../src/rules/releases/kinds.ts';
import { approveRunStep, createAcmeOrg, createProduct, openIssue, waitForRunPhase } from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

type Run = { name: string; spec: RunSpec; status: RunStatus };
type Issue = { number: number; column?: string; labels: string[] };

let platform: TestPlatform;
let api: ApiClient;
let codehost: CodehostReader;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  codehost = new CodehostReader(platform);
  await createAcmeOrg(api);
  await createProduct(platform, api, { name: 'greeter' });
});
afterAll(async () => await platform?.remove());

async function enable(name: string): Promise<void> {
  const path = `/v1/orgs/acme/agentworkflows/${name}`;
  const { spec, generation } = await api.get<{ spec: AgentWorkflowSpec; generation: number }>(path);
  await api.put(path, { spec: { ...spec, enabled: true }, generation });
}

const listRuns = async (agentWorkflow: string): Promise<Run[]> =>
  (await api.get<{ items: Run[] }>('/v1/orgs/acme/agentworkflowruns?limit=500')).items.filter(
    ({ spec }) => spec.agentWorkflow === agentWorkflow,
  );
const findOnBoard = async (number: number): Promise<Issue | undefined> =>
  (await api.get<{ items: Issue[] }>('/v1/orgs/acme/products/greeter/issues')).items.find(
    (issue) => issue.number === number,
  );

it('hydrates an issue that a person opens: adds a comment and removes the label', async () => {
  await enable('issue-hydration');
  const response = await fetch(`${platform.codehostUrl}/api/v3/repos/acme/greeter/issues`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await platform.codehostToken()}` },
    body: JSON.stringify({ title: 'Make it nicer', labels: ['bug', 'needs-hydration'] }),
  });
  const { number } = (await response.json()) as { number: number };
  const [run] = await waitUntil(
    async () => await listRuns('issue-hydration'),
    (runs) => runs.length > 0,
  );
  const { status } = await waitForRunPhase(api, run?.name ?? '', 'Succeeded');
  const path = `/repos/acme/greeter/issues/${number}`;
  const comments = await codehost.get<{ body: string; html_url: string; user: { login: string } }[]>(
    `${path}/comments`,
  );
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toContain(`<!-- service:run=${run?.name} step=hydrate -->\n### Goal`);
  expect(comments[0]?.user.login).toBe('acme-delivery[bot]');
  expect(status.steps[0]).toMatchObject({
    posts: [{ to: `acme/greeter#${number}`, url: comments[0]?.html_url }],
    evidence: [{ name: 'draft.md' }],
  });
  expect((await codehost.get<{ labels: { name: string }[] }>(path)).labels.map(({ name }) => name)).toEqual(['bug']);
  expect(await findOnBoard(number)).toMatchObject({ column: 'Backlog', labels: ['bug'] });

  const relabeled = await api.post<Issue>(`/v1/orgs/acme/products/greeter/issues/${number}/labels`, {
    add: ['later'],
    remove: ['bug', 'unknown label'],
  });
  expect(relabeled).toMatchObject({ number, labels: ['later'] });
});

it('moves the issue of a quick Change across the board to Done, and starts go-to-market once for the tag of its Release', async () => {
  await enable('go-to-market');
  const issue = await openIssue(api, 'greeter', { title: 'Greet visitors by name' });
  const { name } = await api.post<Run>('/v1/orgs/acme/agentworkflowruns', {
    agentWorkflow: 'quick-change',
    product: 'greeter',
    issue,
  });
  expect(await findOnBoard(issue)).toMatchObject({ column: expect.stringMatching(/In progress|Review/) });
  await waitForRunPhase(api, name, 'WaitingForPerson');
  expect(await findOnBoard(issue)).toMatchObject({ column: 'Review', change: { run: name } });
  await approveRunStep(api, name);
  const done = await waitForRunPhase(api, name, 'Succeeded');
  expect(done.status.steps.map(({ name: step, phase }) => `${step} ${phase}`)).toEqual([
    'implement Succeeded',
    'approve-change Succeeded',
    'resolve-conflicts Skipped',
    'merge Succeeded',
  ]);
  expect(await findOnBoard(issue)).toMatchObject({ column: 'Done' });

  const { items } = await waitUntil(
    async () => await api.get<{ items: { name: string; status: ReleaseStatus }[] }>('/v1/orgs/acme/releases'),
    ({ items: [release] }) => release?.status.cutRuns !== undefined,
  );
  const [{ cutRuns = [], taggedAt } = {} as ReleaseStatus] = items.map(({ status }) => status);
  expect(taggedAt).toBeDefined();
  // The Release lists its runs as soon as they start.
  const market = await waitUntil(
    async () => await listRuns('go-to-market'),
    (runs) => runs.length > 0,
  );
  expect(cutRuns).toEqual([{ agentWorkflow: 'go-to-market', run: market[0]?.name }]);
  expect(market).toHaveLength(1);
  const { status } = await waitForRunPhase(api, market[0]?.name ?? '', 'Succeeded');
  for (const step of status.steps)
    expect(step).toMatchObject({
      posts: [{ to: 'chat', error: expect.stringContaining('No chat destination is connected') }],
      evidence: [{ name: 'draft.md' }],
    });
});
