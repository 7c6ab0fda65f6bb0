import { describe, expect, it } from 'vitest';
import { pushBranch } from '../../emulators/codehost/codehost-fixture.ts';
import { connectShop } from './shop-codehost.ts';

const repo = 'acme/shop';

async function openPullRequest(files: Record<string, string> = { 'new.txt': 'new\n' }) {
  const { shop, host, requestAsUser } = await connectShop();
  const headSha = await pushBranch(shop.codehost, { token: shop.codehost.userToken, branch: 'feature', files });
  const texts = { headBranch: 'feature', baseBranch: 'main', title: 'Add it', body: '', draft: false };
  const { number } = await host.openPullRequest(repo, texts);
  const asUser = async <T>(method: string, path: string, body?: object): Promise<T> =>
    await requestAsUser<T>(method, `/repos/${repo}${path}`, body);
  return {
    shop,
    host,
    number,
    headSha,
    asUser,
    merge: async (sha = headSha) =>
      await host.mergePullRequest(repo, { number, headSha: sha, title: 'Add', message: '' }),
    protect: async (checks: string[], { strict = false, reviews = 0 } = {}) =>
      await asUser('PUT', '/branches/main/protection', {
        required_status_checks: { strict, contexts: checks },
        required_pull_request_reviews: { required_approving_review_count: reviews },
      }),
  };
}

describe('mergePullRequest on a protected branch', () => {
  it('returns the required checks and reviews that block the merge, and merges once they have passed', async () => {
    const { merge, protect, asUser, headSha, number } = await openPullRequest();
    await protect(['ci', 'lint'], { reviews: 1 });
    expect(await merge()).toEqual({
      outcome: 'blocked',
      message:
        'The required check "ci" has not started. The required check "lint" has not started. An approving review on the code host is required.',
      needsPerson: true,
    });
    await asUser('POST', `/pulls/${number}/reviews`, { event: 'APPROVE' });
    await asUser('POST', `/statuses/${headSha}`, { state: 'success', context: 'lint' });
    const run = { name: 'ci', head_sha: headSha, status: 'in_progress' };
    const { id } = await asUser<{ id: number }>('POST', '/check-runs', run);
    const running = { outcome: 'blocked', message: 'The required check "ci" is running.', needsPerson: false };
    expect(await merge()).toEqual(running);
    await asUser('PATCH', `/check-runs/${id}`, { conclusion: 'timed_out' });
    expect(await merge()).toMatchObject({ message: 'The required check "ci" has failed.', needsPerson: true });
    await asUser('PATCH', `/check-runs/${id}`, { conclusion: 'success' });
    expect(await merge()).toMatchObject({ outcome: 'merged' });
  });

  it('reads the checks that a ruleset requires', async () => {
    const { merge, asUser } = await openPullRequest();
    await asUser('POST', '/rulesets', {
      name: 'main',
      enforcement: 'active',
      conditions: { ref_name: { include: ['refs/heads/main'] } },
      rules: [
        { type: 'required_status_checks', parameters: { required_status_checks: [{ context: 'ci' }] } },
        { type: 'pull_request', parameters: { required_approving_review_count: 1 } },
      ],
    });
    expect(await merge()).toMatchObject({
      outcome: 'blocked',
      message: 'The required check "ci" has not started. An approving review on the code host is required.',
    });
  });

  it('returns that the branch is behind, and merges after an update', async () => {
    const { shop, host, merge, protect, number, headSha } = await openPullRequest();
    await protect([], { strict: true });
    const { userToken: token } = shop.codehost;
    await pushBranch(shop.codehost, { token, branch: 'main', files: { 'other.txt': 'other\n' } });
    expect(await merge()).toMatchObject({ outcome: 'behind' });
    await host.updatePullRequestBranch(repo, { number, headSha });
    // A retry of the update meets a head that has moved.
    await host.updatePullRequestBranch(repo, { number, headSha });
    const updated = await merge();
    expect(updated).toMatchObject({ outcome: 'head-moved' });
    expect(await merge((await host.getPullRequest(repo, number)).headSha)).toMatchObject({ outcome: 'merged' });
  });

  it.each([
    ['unstable: a failing check that is not required', '/statuses/', { state: 'failure' }],
    ['has_hooks: a pre-receive hook', '/pre-receive-hooks/1', { enforcement: 'enabled' }],
  ])('merges what is %s', async (_state, path, body) => {
    const { merge, asUser, headSha } = await openPullRequest();
    if (path === '/statuses/') await asUser('POST', `${path}${headSha}`, body);
    else await asUser('PATCH', path, body);
    expect(await merge()).toMatchObject({ outcome: 'merged' });
  });

  it('merges a change of the CI files with the permission for them', async () => {
    const { merge } = await openPullRequest({ '.github/workflows/ci.yml': 'on: push\n' });
    expect(await merge()).toMatchObject({ outcome: 'merged' });
  });
});

describe('openPullRequest', () => {
  it('opens one pull request when two processes open it at once', async () => {
    const { shop, host } = await connectShop();
    const files = { 'new.txt': 'new\n' };
    await pushBranch(shop.codehost, { token: shop.codehost.userToken, branch: 'feature', files });
    const open = async (headBranch: string) =>
      await host.openPullRequest(repo, { headBranch, baseBranch: 'main', title: 'Add it', body: '', draft: false });
    const opened = await Promise.all(Array.from({ length: 4 }, async () => await open('feature')));
    expect(new Set(opened.map(({ number }) => number)).size).toBe(1);
    await expect(open('unknown')).rejects.toMatchObject({ code: 'invalid' });
  });

  it('takes no earlier pull request of the branch for one that the code host refuses to open', async () => {
    const { shop, host, number } = await openPullRequest();
    const { codehost } = shop;
    await host.closePullRequest(repo, number);
    const pull = { headBranch: 'feature', baseBranch: 'unknown', title: 'Again', body: '', draft: false };
    // A person may have closed it before the response to the request that opened it arrived.
    expect(await host.openPullRequest(repo, pull)).toMatchObject({ number, state: 'closed' });
    await pushBranch(codehost, { token: codehost.userToken, branch: 'feature', files: { 'more.txt': 'more\n' } });
    await expect(host.openPullRequest(repo, pull)).rejects.toMatchObject({ code: 'invalid' });
  });
});

it('lists the open pull requests from the branches of the repo with a prefix', async () => {
  const { shop, host, number } = await openPullRequest();
  const { codehost } = shop;
  for (const branch of ['fix/one', 'fix/two']) {
    await pushBranch(codehost, { token: codehost.userToken, branch, files: { [branch]: 'new\n' } });
    await host.openPullRequest(repo, { headBranch: branch, baseBranch: 'main', title: branch, body: '', draft: false });
  }
  const pulls = await host.listOpenPullRequests('Acme/Shop', 'fix/');
  expect(pulls.map(({ headBranch }) => headBranch).toSorted()).toEqual(['fix/one', 'fix/two']);
  expect(await host.listOpenPullRequests(repo, 'feature')).toEqual([{ number, headBranch: 'feature' }]);
  await host.closePullRequest(repo, number);
  expect(await host.listOpenPullRequests(repo, 'feature')).toEqual([]);
});

it('tells pull requests from issues', async () => {
  const { host, number, asUser } = await openPullRequest();
  const issue = await asUser<{ number: number }>('POST', '/issues', { title: 'Sell tickets' });
  expect(await host.getIssue(repo, number)).toMatchObject({ title: 'Add it', isPullRequest: true });
  expect(await host.getIssue(repo, issue.number)).toMatchObject({ title: 'Sell tickets', isPullRequest: false });
});
