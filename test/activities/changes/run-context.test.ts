import { expect, it } from 'vitest';
import { getRunContext } from '../../../activities/changes/run-context.ts';
import type { Codehost, OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import type { BranchFacts } from '../../../src/rules/changes/branch-violation.ts';
import { AgentWorkflowRunKind, type RunSpec } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const ownRef = 'refs/heads/service/fix-1';
const own = { branch: 'service/fix-1', gitRef: ownRef, pushRef: ownRef, isOwnBranch: true };
const free: BranchFacts = { isDefault: false, isProtected: false, pullRequestsInto: [] };
const onPullRequest = { target: { repo: 'acme/hello', number: 8, kind: 'pull-request' as const } };

type Options = {
  spec?: Partial<RunSpec>;
  repos?: string[];
  headRepo?: string;
  facts?: Partial<BranchFacts>;
  ownHead?: string;
};

async function getContext({ spec, repos = ['acme/hello', 'acme/more'], headRepo, facts, ownHead }: Options = {}) {
  const store = openTestStore();
  const orgs: string[] = [];
  const host = {
    getPullRequest: async (name: string, number: number) => {
      expect([name, number]).toEqual(['acme/hello', 8]);
      return { headBranch: 'moon', headRepo, baseBranch: 'release' };
    },
    findBranchHead: async (_: string, name: string) => (name === own.branch ? ownHead : undefined),
    getBranchFacts: async (name: string, branch: string) => {
      expect([name, branch]).toEqual(['acme/hello', 'moon']);
      return { ...free, ...facts };
    },
  } as unknown as OrgCodehost;
  const codehost: Codehost = { forOrg: async (org) => (orgs.push(org), host) };
  await store.create(ProductKind, { metadata: { namespace, name: 'hello' }, spec: { repos, delivery: { zones: [] } } });
  await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name: 'fix-1' },
    spec: { agentWorkflow: 'fix', product: 'hello', startedBy: 'ada', steps: [], roles: {}, ...spec },
  });
  const { run, host: given, ...context } = await getRunContext({ store, codehost }, { org: 'acme', run: 'fix-1' });
  expect(run.metadata.name).toBe('fix-1');
  expect([given, orgs]).toEqual([host, ['acme']]);
  return context;
}

it.each([
  ['the first repo of the Product', {}, 'acme/hello'],
  ['the repo of its Release', { release: { name: 'r', version: 'v1.0.0', repo: 'acme/more' } }, 'acme/more'],
  ['the repo of its issue', { target: { repo: 'acme/other', number: 7 } }, 'acme/other'],
])('works on %s, on a branch of its own', async (_, spec, repo) => {
  expect(await getContext({ spec })).toEqual({ org: 'acme', repo, ...own });
});

it('asks for a repo when the Product has none', async () => {
  await expect(getContext({ repos: [] })).rejects.toMatchObject({
    reason: 'repo-required',
    message: 'The Product "hello" has no repo. Add one to its spec.repos.',
  });
});

it('commits to the branch of a pull request, also when its repo is written in another case', async () => {
  const gitRef = 'refs/heads/moon';
  expect(await getContext({ spec: onPullRequest, headRepo: 'Acme/Hello' })).toMatchObject({
    branch: 'moon',
    gitRef,
    pushRef: gitRef,
    isOwnBranch: false,
    baseBranch: 'release',
    targetPullRequest: { number: 8, isFork: false },
  });
});

it.each(['eve/hello', undefined])('reads the pull request of the fork %s, which may be gone', async (headRepo) => {
  const gitRef = 'refs/pull/8/head';
  const facts = { isProtected: true };
  expect(await getContext({ spec: onPullRequest, facts, ...(headRepo !== undefined && { headRepo }) })).toMatchObject({
    branch: 'moon',
    gitRef,
    pushRef: gitRef,
    isOwnBranch: false,
    targetPullRequest: { number: 8, isFork: true },
  });
});

it('commits next to a guarded branch, with the branch of the pull request as the base once it has', async () => {
  const guarded = { spec: onPullRequest, headRepo: 'acme/hello', facts: { isProtected: true } };
  expect(await getContext(guarded)).toMatchObject({
    branch: own.branch,
    gitRef: 'refs/heads/moon',
    pushRef: ownRef,
    isOwnBranch: false,
    baseBranch: 'release',
  });
  // It stays on its own branch, although the rules of the other may have changed.
  const continued = await getContext({ ...guarded, facts: {}, ownHead: 'c1' });
  expect(continued).toMatchObject({ ...own, baseBranch: 'moon', targetPullRequest: { number: 8, isFork: false } });
});
