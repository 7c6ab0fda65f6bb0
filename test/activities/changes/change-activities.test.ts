import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createChangeActivities } from '../../../activities/changes/change-activities.ts';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import { call as callTool, turn as says, write } from '../../../src/emulators/model/scenario.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { listRunContributors } from '../../../src/rules/access/contributors.ts';
import { selfApprovalViolation } from '../../../src/rules/access/self-approval-violation.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { commitKey } from '../../../src/rules/changes/commit-key.ts';
import { AgentWorkflowRunKind, type Verdict } from '../../../src/rules/changes/kinds.ts';
import { runBranch } from '../../../src/rules/changes/run-names.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { buildResource } from '../../rules/build-resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createFolder, pushBranch, startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';
import { type AgentRunHarness, startAgentRunHarness } from '../../support/changes/agent-run-harness.ts';

const ref = { org: 'acme', run: 'change-hello-7' };
const summary = 'All of it. '.repeat(300);

/** Starts a run whose implementer writes long texts in each turn. */
async function startVerboseRun(): Promise<AgentRunHarness> {
  const implementer = [
    says('x'.repeat(100_000), write('README.md', 'y'.repeat(100_000))),
    says('x'.repeat(100_000), callTool('read_file', { path: 'README.md' })),
    says('x'.repeat(100_000), callTool('finish', { outcome: 'done', summary })),
  ];
  const run = await startAgentRunHarness({ title: 'Talk' }, [
    { name: 'talk', matches: () => true, roles: { implementer } },
  ]);
  onTestFinished(run.close);
  return run;
}

const record = async ({ deps }: AgentRunHarness, verdict: Verdict): Promise<Verdict | undefined> => {
  const { openRun, recordRun } = createChangeActivities({ ...deps, decisions: trustingJudge, now: () => new Date() });
  const environment = new MockActivityEnvironment();
  const input = { ...ref, agentWorkflow: 'change', product: 'hello', startedBy: 'ada', workflowId: 'change-7' };
  await environment.run(openRun, input);
  await environment.run(recordRun, { ...ref, patch: { steps: [{ name: 'implement', verdict }] } });
  const { status } = await deps.store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: ref.run });
  return status?.steps.find(({ name }) => name === 'implement')?.verdict;
};

it('records the full verdict although the workflow holds a truncated one', async () => {
  const run = await startVerboseRun();
  const { outcome } = await run.runRound('implement', 1);
  expect(JSON.stringify(outcome).length).toBeLessThan(500);
  expect(outcome.verdict && (await record(run, outcome.verdict))).toEqual({ outcome: 'done', summary });
});

it('records a verdict of the workflow unchanged', async () => {
  const run = await startVerboseRun();
  await run.runRound('implement', 1);
  const verdict = { outcome: 'needs-guidance' as const, summary: 'The step has taken all of its 3 turns.' };
  expect(await record(run, verdict)).toEqual(verdict);
});

it('opens a run once, and keeps what was recorded since', async () => {
  const store = openTestStore();
  const namespace = 'org-acme';
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: [], delivery: { zones: [] } },
  });
  const spec = {
    agentWorkflow: 'change',
    product: 'hello',
    startedBy: 'ada',
    steps: changeAgentWorkflow.steps,
    roles: {},
  };
  await store.create(AgentWorkflowRunKind, { metadata: { namespace, name: ref.run }, spec });
  const deps = { store, blobs: directoryBlobs('/nowhere'), codehost: { forOrg: async () => ({}) as OrgCodehost } };
  const { openRun, recordRun } = createChangeActivities({ ...deps, decisions: trustingJudge, now: () => new Date() });
  const input = { ...ref, agentWorkflow: 'change', product: 'hello', startedBy: 'ada', workflowId: 'change-7' };
  const opened = await openRun(input);
  expect(opened.status.steps.map(({ name }) => name)).toEqual(spec.steps.map(({ name }) => name));
  await recordRun({ ...ref, patch: { phase: 'Running', steps: [{ name: 'implement', phase: 'Running' }] } });
  const again = await openRun(input);
  expect(again.status.steps.find(({ name }) => name === 'implement')?.phase).toBe('Running');
  expect((await store.get(AgentWorkflowRunKind, { namespace, name: ref.run })).status).toEqual(again.status);
});

const run = 'change-shop-1';
const runRef = { org: 'acme', run };

/** Starts a code host with the repo `acme/shop`, and a run on its first issue. */
async function startRunOnCodehost({ decisions = trustingJudge } = {}) {
  const { codehost, app, octokit, token, repo } = await startShopFixture();
  await octokit.request('POST /repos/{owner}/{repo}/issues', { ...repo, title: 'Greet', body: 'By name.' });
  const store = openTestStore();
  const namespace = 'org-acme';
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: ['acme/shop'], delivery: { zones: [] } },
  });
  const target = { repo: 'acme/shop', number: 1 };
  const { steps } = changeAgentWorkflow;
  await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name: run },
    spec: { agentWorkflow: 'change', product: 'shop', target, startedBy: 'ada', steps, roles: {} },
  });
  const adapter = octokitCodehost({
    apiUrl: codehost.apiUrl,
    throttle: false,
    findCredentials: async () => ({ appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' }),
  });
  const blobs = directoryBlobs(await createFolder());
  const deps = { store, codehost: adapter, blobs, decisions, now: () => new Date() };
  const activities = wrapActivities(createChangeActivities(deps));
  const call = async <Input, Output>(activity: (input: Input) => Promise<Output>, input: Input): Promise<Output> =>
    await new MockActivityEnvironment().run(activity, input);
  const push = async (text: string, email?: string) =>
    await pushBranch(codehost, {
      token,
      branch: runBranch(run),
      files: { 'greet.js': text },
      ...(email !== undefined && { email }),
    });
  const host = await adapter.forOrg('acme');
  const readMain = async () => await host.readFile('acme/shop', 'greet.js', 'main');
  return { activities, call, push, host, readMain, codehost, store, blobs };
}

describe('a person who pushes to the branch of a run', () => {
  const organization = buildResource(OrganizationKind, {
    spec: {
      codehostAccount: 'acme',
      gitopsRepo: 'acme/gitops',
      approvals: {
        preventSelfApproval: true,
        codehostLogins: [
          { email: 'bob@x.org', login: 'bob-dev' },
          { email: 'carol@x.org', login: 'carol-dev' },
        ],
      },
    },
  });

  /** Lets "bob-dev" push after an agent, or under another address, and returns who may approve the head. */
  async function listApproversAfterPush(email: string) {
    const { activities, call, push, codehost, store, blobs } = await startRunOnCodehost();
    codehost.savePerson({ login: 'bob-dev', password: 'bob-password', emails: [] });
    const namespace = 'org-acme';
    await call(activities.openRun, {
      ...runRef,
      agentWorkflow: 'change',
      product: 'shop',
      startedBy: 'ada',
      workflowId: '',
    });
    const record = async (headSha: string) => {
      const { number, url } = await call(activities.openPullRequest, runRef);
      await call(activities.recordRun, { ...runRef, patch: { pullRequest: { number, url, headSha } } });
      await call(activities.recordCommitters, { ...runRef, headSha });
      const stored = await store.get(AgentWorkflowRunKind, { namespace, name: run });
      const mayApprove = (approver: string) =>
        selfApprovalViolation(organization, listRunContributors(stored), approver) === undefined;
      return ['bob@x.org', 'carol@x.org'].filter(mayApprove);
    };
    const agentSha = await push('by an agent', 'service@localhost');
    await blobs.put(commitKey('acme', agentSha), Buffer.alloc(0));
    const before = await record(agentSha);
    return { before, after: await record(await push('by bob', email)) };
  }

  it('may not approve the head, while another one may', async () => {
    expect(await listApproversAfterPush('7+bob-dev@users.noreply.localhost')).toEqual({
      before: ['bob@x.org', 'carol@x.org'],
      after: ['carol@x.org'],
    });
  });

  it.each(['bob@home.example', 'service@localhost'])(
    'lets no person approve the head when its commit has the address %s, which belongs to no account',
    async (email) => {
      expect((await listApproversAfterPush(email)).after).toEqual([]);
    },
  );
});

it('reads the issue of a run', async () => {
  const { activities, call } = await startRunOnCodehost();
  expect(await call(activities.readTarget, runRef)).toEqual({
    title: 'Greet',
    url: expect.stringContaining('/issues/1'),
    author: expect.any(String),
  });
  expect(await call(activities.readRunRepo, runRef)).toBe('acme/shop');
});

it('opens one draft when repeated, and merges only the commit that was approved', async () => {
  const { activities, call, push, host, readMain } = await startRunOnCodehost();
  await expect(call(activities.readPullRequest, runRef)).rejects.toMatchObject({ type: 'pull-request-missing' });
  const approved = await push('one');
  const opened = await call(activities.openPullRequest, runRef);
  expect(opened).toMatchObject({ headSha: approved, state: 'open' });
  expect(await call(activities.openPullRequest, runRef)).toMatchObject({ number: opened.number });
  expect(await host.getPullRequest('acme/shop', opened.number)).toMatchObject({ draft: true, baseBranch: 'main' });
  await call(activities.markPullRequestReady, runRef);
  expect(await host.getPullRequest('acme/shop', opened.number)).toMatchObject({ draft: false });

  const moved = await push('two');
  expect(await call(activities.mergePullRequest, { ...runRef, headSha: approved })).toMatchObject({
    outcome: 'head-moved',
  });
  expect(await readMain()).toBeUndefined();
  const merged = await call(activities.mergePullRequest, { ...runRef, headSha: moved });
  if (merged.outcome !== 'merged') throw new Error(merged.message);
  expect(await readMain()).toBe('two');
  const { message, parents } = await host.getCommit('acme/shop', merged.commit);
  expect(message).toContain(`(#${opened.number})`);
  expect(parents).toHaveLength(1);
});

it('merges nothing that people did not approve through the API', async () => {
  const refusing = { ...trustingJudge, judgeRecorded: async () => 'it has no valid signature' };
  const { activities, call, push, readMain } = await startRunOnCodehost({ decisions: refusing });
  const headSha = await push('one');
  await call(activities.openPullRequest, runRef);
  await expect(call(activities.mergePullRequest, { ...runRef, headSha })).rejects.toMatchObject({
    type: 'decision-refused',
    nonRetryable: true,
  });
  expect(await readMain()).toBeUndefined();
});

it('closes the pull request of a run and deletes its branch, with or without one', async () => {
  const { activities, call, push, host } = await startRunOnCodehost();
  await call(activities.closePullRequest, runRef);
  await push('one');
  const { number } = await call(activities.openPullRequest, runRef);
  for (let time = 0; time < 2; time += 1) await call(activities.closePullRequest, runRef);
  expect(await host.getPullRequest('acme/shop', number)).toMatchObject({ state: 'closed', merged: false });
  expect(await host.findBranchHead('acme/shop', runBranch(run))).toBeUndefined();
});
