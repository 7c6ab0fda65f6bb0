import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it } from 'vitest';
import { createChangeActivities } from '../../../activities/changes/change-activities.ts';
import type { OrgCodehost, PullRequest } from '../../../src/integrations/codehost/codehost.ts';
import { finish, turn as says, write } from '../../../src/emulators/model/scenario.ts';
import type { BranchFacts } from '../../../src/rules/changes/branch-violation.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';

const ref = { org: 'acme', run: 'change-hello-7' };
const open: AgentRunHarness[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

/** Starts a run on a pull request of a fork, whose commits the code host serves under its pull ref. */
async function startForkRun() {
  const roles = {
    implementer: [says('Change.', write('greeting.js', '// ours')), finish('done', 'Done.')],
    'code-reviewer': [finish('approved', 'It is right.')],
  };
  const run = await startAgentRunHarness({ title: 'Anything' }, [{ name: 'scripted', matches: () => true, roles }]);
  open.push(run);
  const { store, codehost } = run.deps;
  const found = await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: ref.run });
  const target = { repo: 'acme/hello', number: 8, kind: 'pull-request' as const };
  await store.replace(AgentWorkflowRunKind, { ...found, spec: { ...found.spec, target } });
  const head = await run.pushAsUser('moon', (folder) => writeFileSync(join(folder, 'moon.txt'), 'moon\n'));
  run.git('update-ref', 'refs/pull/8/head', head);
  run.git('update-ref', '-d', 'refs/heads/moon');
  const pull = { number: 8, headBranch: 'moon', headRepo: 'eve/hello', baseBranch: 'main' } as PullRequest;
  const host: OrgCodehost = { ...(await codehost.forOrg('acme')), getPullRequest: async () => pull };
  return { run, head, deps: { codehost: { forOrg: async () => host } } };
}

const freeBranch: BranchFacts = { isDefault: false, isProtected: false, pullRequestsInto: [] };

/** Starts a run on a pull request from `main` to `release`, with these facts of its head, one entry per look. */
async function startRunFromMain(...looks: BranchFacts[]) {
  const { run, deps } = await startForkRun();
  const head = run.git('rev-parse', 'refs/heads/main');
  run.git('update-ref', 'refs/heads/release', head);
  const mainHead = (): string => run.git('rev-parse', 'refs/heads/main');
  const pull = { number: 8, headBranch: 'main', headRepo: 'acme/hello', baseBranch: 'release' } as PullRequest;
  const opened: object[] = [];
  const host: OrgCodehost = {
    ...(await deps.codehost.forOrg()),
    getPullRequest: async () => pull,
    getBranchFacts: async () => looks.shift() ?? freeBranch,
    findPullRequest: async () => undefined,
    openPullRequest: async (_, request) => {
      opened.push(request);
      return { ...pull, ...request, number: 9 };
    },
  };
  const codehost = { forOrg: async () => host };
  const implement = async () => await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { codehost });
  const changes = createChangeActivities({ ...run.deps, codehost, decisions: trustingJudge, now: () => new Date() });
  return { run, head, mainHead, opened, implement, codehost, changes };
}

it('reviews the pull request of a fork', async () => {
  const { run, deps } = await startForkRun();
  const reviewed = await run.runTurn({ step: 'review-code', turn: 1, trigger: 'start' }, deps);
  expect(reviewed).toMatchObject({ done: true, verdict: { outcome: 'approved' } });
});

it('asks for guidance without a model request when a change would be pushed to a fork', async () => {
  const { run, deps, head } = await startForkRun();
  const refused = await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, deps);
  expect(refused).toMatchObject({
    done: true,
    verdict: { outcome: 'needs-guidance', summary: expect.stringContaining('is in a fork') },
  });
  expect(run.modelRequests).toEqual([]);
  expect(run.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/moon', 'refs/pull')).toBe(
    `refs/pull/8/head ${head}`,
  );
});

it('leaves a merge into a fork to its owner, even without a conflict', async () => {
  const { run, deps, head } = await startForkRun();
  await run.pushAsUser('main', (folder) => writeFileSync(join(folder, 'OTHER.md'), 'other\n'));
  const merge = await new MockActivityEnvironment().run(run.createActivities(deps).mergeBaseBranch, ref);
  expect(merge).toEqual({ outcome: 'conflicts', headSha: head });
  const refused = await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' }, deps);
  expect(refused).toMatchObject({ verdict: { outcome: 'needs-guidance' } });
});

it('commits to a branch of its own when the head of the pull request is the default branch', async () => {
  const { run, head, mainHead, implement, changes, opened } = await startRunFromMain({
    ...freeBranch,
    isDefault: true,
  });
  const { headSha } = await implement();
  expect(mainHead()).toBe(head);
  expect(run.git('rev-parse', 'refs/heads/service/change-hello-7')).toBe(headSha);
  expect(run.git('rev-parse', `${headSha}^`)).toBe(head);
  await new MockActivityEnvironment().run(changes.openPullRequest, ref);
  expect(opened).toMatchObject([{ headBranch: 'service/change-hello-7', baseBranch: 'main' }]);
});

it.each([
  ['is protected', { isProtected: true }],
  ['is the base of another pull request', { pullRequestsInto: [12] }],
])('commits to a branch of its own when the head %s, and stays on it', async (_, facts) => {
  const { run, head, mainHead, implement, codehost } = await startRunFromMain({ ...freeBranch, ...facts });
  const { headSha } = await implement();
  const review = await run.runTurn({ step: 'review-code', turn: 1, trigger: 'start' }, { codehost });
  expect(review).toMatchObject({ verdict: { outcome: 'approved' } });
  expect([mainHead(), run.git('rev-parse', 'refs/heads/service/change-hello-7')]).toEqual([head, headSha]);
});

it('moves the head itself only without these facts', async () => {
  const { run, head, mainHead, implement } = await startRunFromMain();
  const { headSha } = await implement();
  expect(mainHead()).toBe(headSha);
  expect(headSha).not.toBe(head);
  expect(run.git('for-each-ref', 'refs/heads/service')).toBe('');
});

it('pushes nothing when the head became the base of a pull request during the turn', async () => {
  const { run, head, mainHead, implement } = await startRunFromMain(freeBranch, {
    ...freeBranch,
    pullRequestsInto: [12],
  });
  const outcome = await implement();
  expect(outcome).toMatchObject({
    done: true,
    verdict: { outcome: 'needs-guidance', summary: expect.stringContaining('is the base of pull request #12') },
  });
  expect(mainHead()).toBe(head);
  expect(run.git('for-each-ref', 'refs/heads/service')).toBe('');
});

it('leaves a conflict of a guarded branch to people', async () => {
  const { run, head, mainHead, codehost } = await startRunFromMain(
    { ...freeBranch, isDefault: true },
    { ...freeBranch, isDefault: true },
  );
  await run.pushAsUser('release', (folder) => writeFileSync(join(folder, 'OTHER.md'), 'other\n'));
  const merge = await new MockActivityEnvironment().run(run.createActivities({ codehost }).mergeBaseBranch, ref);
  expect(merge).toEqual({ outcome: 'conflicts', headSha: head });
  const refused = await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' }, { codehost });
  expect(refused).toMatchObject({ verdict: { outcome: 'needs-guidance', reason: 'branch-guarded' } });
  expect(mainHead()).toBe(head);
});

it('reviews a guarded branch that conflicts, because a review pushes nothing', async () => {
  const { run, codehost } = await startRunFromMain({ ...freeBranch, isDefault: true });
  const { store } = run.deps;
  const found = await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: ref.run });
  const when = { pullRequest: { conflicted: true as const } };
  const steps = found.spec.steps.map((step) => (step.name === 'review-code' ? { ...step, when } : step));
  await store.replace(AgentWorkflowRunKind, { ...found, spec: { ...found.spec, steps } });
  const review = await run.runTurn({ step: 'review-code', turn: 1, trigger: 'start' }, { codehost });
  expect(review).toMatchObject({ verdict: { outcome: 'approved' } });
});
