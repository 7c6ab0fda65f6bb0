import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { saveTurnPart } from '../../../activities/agents/transcript.ts';
import { createChangeActivities } from '../../../activities/changes/change-activities.ts';
import { defined } from '../../../src/defined.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { OrgCodehost, PullRequest } from '../../../src/integrations/codehost/codehost.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowRunKind, type RunTarget } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', run: 'fix-1' };
const own = 'service/fix-1';
const pull: PullRequest = {
  number: 8,
  nodeId: 'PR_8',
  url: 'https://codehost.test/pull/8',
  title: 'Fix',
  state: 'open',
  draft: true,
  merged: false,
  mergeCommit: undefined,
  testMergeCommit: undefined,
  headBranch: own,
  headRepo: 'acme/shop',
  headSha: 'c1',
  baseBranch: 'main',
  baseSha: 'b1',
  mergeable: 'yes',
  rules: 'passed',
};
const facts = {
  number: 8,
  url: pull.url,
  headSha: 'c1',
  state: 'open',
  isMerged: false,
  mergeable: 'yes',
  baseBranch: 'main',
};
const onPullRequest: RunTarget = { repo: 'acme/shop', number: 8, kind: 'pull-request' };
const onIssue: RunTarget = { repo: 'acme/shop', number: 7 };

type Options = {
  target?: RunTarget;
  found?: Partial<PullRequest> | 'none';
  /** The head of the branch of the run, if it has one. */
  ownHead?: string;
  decisions?: typeof trustingJudge;
  defaultBranch?: string;
};

/** Creates a run on a host that records its calls. */
async function createHarness({
  target,
  found = {},
  ownHead,
  decisions = trustingJudge,
  defaultBranch = 'main',
}: Options = {}) {
  const store = openTestStore();
  const blobs = directoryBlobs(await createScratchFolder());
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: ['acme/shop'], delivery: { zones: [] } },
  });
  const { metadata } = await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name: 'fix-1' },
    spec: {
      agentWorkflow: 'fix',
      product: 'shop',
      startedBy: 'ada',
      steps: changeAgentWorkflow.steps,
      roles: {},
      ...(target && { target }),
    },
  });
  const calls: [name: string, ...input: unknown[]][] = [];
  const answers: Partial<Record<keyof OrgCodehost, unknown>> = {
    getIssue: { title: 'x'.repeat(301), url: 'https://codehost.test/7', author: 'ada', body: 'not returned' },
    getPullRequest: { ...pull, ...(found === 'none' ? {} : found) },
    findPullRequest: found === 'none' ? undefined : { ...pull, ...found },
    openPullRequest: pull,
    getRepository: { defaultBranch, cloneUrl: '', private: true },
    findBranchHead: ownHead,
    getBranchFacts: { isDefault: false, isProtected: false, pullRequestsInto: [] },
    mergePullRequest: { outcome: 'merged', commit: 'm1' },
    upsertComment: { url: 'https://codehost.test/comment' },
  };
  const host = new Proxy({} as OrgCodehost, {
    get: (_, name: keyof OrgCodehost | 'then') =>
      name === 'then'
        ? undefined
        : async (_repo: string, ...input: unknown[]) => {
            // A call has no effect yet when it begins, so that a missing `await` is noticed.
            await setImmediate();
            calls.push([name, ...input]);
            return answers[name];
          },
  });
  const codehost = { forOrg: async () => host };
  const activities = createChangeActivities({ store, codehost, blobs, decisions, now: () => new Date() });
  const count = (name: keyof OrgCodehost): number => calls.filter(([called]) => called === name).length;
  const find = (name: keyof OrgCodehost): unknown[] | undefined => calls.find(([called]) => called === name)?.slice(1);
  return { ...activities, store, blobs, uid: metadata.uid, count, find };
}

describe('readTarget', () => {
  it('returns the issue of a run, with the start of its title', async () => {
    const { readTarget } = await createHarness({ target: onIssue });
    expect(await readTarget(ref)).toEqual({
      title: 'x'.repeat(300),
      url: 'https://codehost.test/7',
      author: 'ada',
    });
  });

  it('returns the pull request of a run on one', async () => {
    const { readTarget } = await createHarness({ target: onPullRequest });
    expect(await readTarget(ref)).toMatchObject({
      author: 'ada',
      pullRequest: { number: 8, url: pull.url, headSha: 'c1' },
      baseBranch: 'main',
    });
  });

  it.each([
    [true, 'Pull request #8 of acme/shop is already merged.'],
    [false, 'Pull request #8 of acme/shop is already closed.'],
  ])('refuses a pull request that is over, merged: %s', async (merged, message) => {
    const { readTarget } = await createHarness({ target: onPullRequest, found: { state: 'closed', merged } });
    await expect(readTarget(ref)).rejects.toMatchObject({ reason: 'pull-request-closed', message });
  });

  it('returns nothing for a run without one', async () => {
    const { readTarget, count } = await createHarness();
    expect(await readTarget(ref)).toBeUndefined();
    expect(count('getIssue')).toBe(0);
  });
});

describe('openPullRequest', () => {
  it('opens a draft to the default branch', async () => {
    const { openPullRequest, find } = await createHarness({ target: onIssue, defaultBranch: 'trunk' });
    expect(await openPullRequest(ref)).toEqual(facts);
    expect(find('openPullRequest')).toMatchObject([{ headBranch: own, baseBranch: 'trunk', draft: true }]);
  });

  it('opens one to the branch of a pull request that the run cannot push to', async () => {
    const { openPullRequest, find, count } = await createHarness({
      target: onPullRequest,
      ownHead: 'c2',
      found: { headBranch: 'moon' },
    });
    await openPullRequest(ref);
    expect(find('openPullRequest')).toMatchObject([{ headBranch: own, baseBranch: 'moon' }]);
    expect(count('getRepository')).toBe(0);
  });

  it('returns the pull request of a run that pushes to it', async () => {
    const { openPullRequest, count } = await createHarness({ target: onPullRequest, found: { headBranch: 'moon' } });
    expect(await openPullRequest(ref)).toEqual(facts);
    expect(count('openPullRequest')).toBe(0);
  });
});

describe('readPullRequest', () => {
  it('finds the pull request of a run by its branch, and by its number when it is the target', async () => {
    const onOwn = await createHarness({ target: onPullRequest, ownHead: 'c2' });
    expect(await onOwn.readPullRequest(ref)).toEqual(facts);
    expect(onOwn.find('findPullRequest')).toEqual([own]);
    const onTarget = await createHarness({ target: onPullRequest });
    await onTarget.readPullRequest(ref);
    expect(onTarget.count('findPullRequest')).toBe(0);
    expect(onTarget.find('getPullRequest')).toEqual([8]);
  });

  it('names a run that has none', async () => {
    const { readPullRequest } = await createHarness({ found: 'none' });
    await expect(readPullRequest(ref)).rejects.toMatchObject({
      reason: 'pull-request-missing',
      message: expect.stringContaining('The run "fix-1" has no pull request in acme/shop'),
    });
  });
});

describe('markPullRequestReady', () => {
  it('marks the pull request of the run, and posts the reviews on it', async () => {
    const { markPullRequestReady, blobs, uid, find } = await createHarness({ target: onIssue });
    const verdict = { outcome: 'approved' as const, summary: 'Good.' };
    const results = { messages: [], verdict, changed: false, at: '' };
    await saveTurnPart(blobs, { uid, step: 'review-code', turn: 1 }, { results });
    expect(await markPullRequestReady(ref)).toEqual(facts);
    expect(find('markReadyForReview')).toEqual([pull]);
    expect(find('upsertComment')).toMatchObject([{ number: 8 }]);
  });

  it.each([
    ['for the commits since a person merged the earlier one', 'c2', 1],
    ['of a merged branch without other commits', 'c1', 0],
    ['of a branch that was deleted with the merge', undefined, 0],
  ])('opens a pull request %s: %s', async (_, ownHead, opened) => {
    const merged = { state: 'closed', merged: true } as const;
    const { markPullRequestReady, count } = await createHarness({
      target: onIssue,
      found: { ...merged, number: 7 },
      ...defined({ ownHead }),
    });
    const { number, isMerged } = await markPullRequestReady(ref);
    expect(count('openPullRequest')).toBe(opened);
    expect({ number, isMerged }).toEqual(opened ? { number: 8, isMerged: false } : { number: 7, isMerged: true });
  });

  it('leaves a pull request of a person alone', async () => {
    const { markPullRequestReady, count } = await createHarness({ target: onPullRequest });
    expect(await markPullRequestReady(ref)).toEqual(facts);
    expect([count('markReadyForReview'), count('upsertComment')]).toEqual([0, 0]);
  });
});

describe('mergePullRequest', () => {
  const merge = { ...ref, headSha: 'c1' };

  it('merges the approved commit, with the number in its title', async () => {
    const { mergePullRequest, find } = await createHarness({ target: onIssue });
    expect(await mergePullRequest(merge)).toEqual({ outcome: 'merged', commit: 'm1' });
    expect(find('markReadyForReview')).toEqual([pull]);
    expect(find('mergePullRequest')).toEqual([
      { number: 8, headSha: 'c1', title: expect.stringMatching(/ \(#8\)$/), message: expect.any(String) },
    ]);
  });

  it.each([
    ['main', { outcome: 'merged', commit: 'm1' }],
    ['trunk', { outcome: 'merged', commit: 'm1', nonDefaultBranch: 'main' }],
  ])('names the branch of a pull request that is not the default branch %s', async (defaultBranch, expected) => {
    const { mergePullRequest } = await createHarness({ target: onPullRequest, defaultBranch });
    expect(await mergePullRequest(merge)).toEqual(expected);
  });

  it('merges into no branch other than the one that people approved', async () => {
    const { mergePullRequest, count } = await createHarness({ target: onIssue, found: { baseBranch: 'hotfix' } });
    expect(await mergePullRequest({ ...merge, baseBranch: 'main' })).toEqual({
      outcome: 'retargeted',
      message: 'Pull request #8 merges into "hotfix" now, not into "main".',
    });
    expect(count('mergePullRequest')).toBe(0);
    expect(await mergePullRequest({ ...merge, baseBranch: 'hotfix' })).toMatchObject({ outcome: 'merged' });
  });

  it('names the branch that a person made the base of the run’s own pull request', async () => {
    const { mergePullRequest } = await createHarness({ target: onIssue, found: { baseBranch: 'unreviewed' } });
    expect(await mergePullRequest(merge)).toEqual({ outcome: 'merged', commit: 'm1', nonDefaultBranch: 'unreviewed' });
  });
});

describe('updatePullRequestBranch', () => {
  it('updates the head that was read', async () => {
    const { updatePullRequestBranch, find } = await createHarness({ target: onIssue });
    await updatePullRequestBranch({ ...ref, headSha: 'c1' });
    expect(find('updatePullRequestBranch')).toEqual([{ number: 8, headSha: 'c1' }]);
  });

  it('updates nothing that people did not approve', async () => {
    const decisions = { ...trustingJudge, judgeRecorded: async () => 'it has no valid signature' };
    const { updatePullRequestBranch, count } = await createHarness({ target: onIssue, decisions });
    await expect(updatePullRequestBranch({ ...ref, headSha: 'c1' })).rejects.toMatchObject({
      reason: 'decision-refused',
    });
    expect(count('updatePullRequestBranch')).toBe(0);
  });
});

describe('closePullRequest and deleteRunBranch', () => {
  it.each([
    ['open', 1],
    ['closed', 0],
  ] as const)('close a pull request that is %s, and delete the branch of the run', async (state, closed) => {
    const { closePullRequest, count, find } = await createHarness({ target: onPullRequest, found: { state } });
    await closePullRequest(ref);
    expect(count('closePullRequest')).toBe(closed);
    expect(find('findPullRequest')).toEqual([own]);
    expect(find('deleteBranch')).toEqual([own]);
  });

  it.each([
    ['the merged head', 'c1', 1],
    ['a commit that the pull request does not have', 'c2', 0],
  ])('delete a merged branch only if nothing is lost: it has %s', async (_, ownHead, deleted) => {
    const { deleteRunBranch, count } = await createHarness({ target: onIssue, ownHead, found: { merged: true } });
    await deleteRunBranch(ref);
    expect(count('deleteBranch')).toBe(deleted);
  });

  it('delete the branch alone', async () => {
    const { deleteRunBranch, readRunRepo, find, count } = await createHarness({ target: onIssue });
    await deleteRunBranch(ref);
    expect(find('deleteBranch')).toEqual([own]);
    expect(count('closePullRequest')).toBe(0);
    expect(await readRunRepo(ref)).toBe('acme/shop');
  });
});
