import { expect, it, vi } from 'vitest';
import { pushBranch, startShopFixture } from '../codehost-fixture.ts';

type Shop = Awaited<ReturnType<typeof startShopFixture>>;

/** Opens a pull request of the app into `main`, and acts on the repo as its owner does. */
async function openPullRequest() {
  const shop = await startShopFixture();
  const { codehost, token } = shop;
  const asOwner = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `token ${codehost.userToken}` };
    const url = `${codehost.apiUrl}/repos/acme/shop${path}`;
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : await response.json();
  };
  const sha = await pushBranch(codehost, { token, branch: 'feature', files: { 'new.txt': 'new\n' } });
  const pull = { ...shop.repo, title: 'Add it', head: 'feature', base: 'main' };
  const { number } = (await shop.octokit.request('POST /repos/{owner}/{repo}/pulls', pull)).data;
  return { ...shop, asOwner, sha, number, protect: protectMain(asOwner) };
}

const protectMain =
  (asOwner: (method: string, path: string, body?: object) => Promise<unknown>) =>
  async ({ checks = [], strict = false, reviews = 0, dismissStale = false }: ProtectOptions): Promise<void> =>
    void (await asOwner('PUT', '/branches/main/protection', {
      required_status_checks: { strict, contexts: checks },
      required_pull_request_reviews: {
        required_approving_review_count: reviews,
        dismiss_stale_reviews: dismissStale,
      },
      enforce_admins: false,
      restrictions: null,
    }));
type ProtectOptions = { checks?: string[]; strict?: boolean; reviews?: number; dismissStale?: boolean };

const readState = async ({ octokit, repo }: Shop, number: number) =>
  (await octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...repo, pull_number: number })).data;

/** Waits until the code host has computed the state. */
const waitForState = async (shop: Shop, number: number) =>
  await vi.waitFor(async () => {
    const pull = await readState(shop, number);
    expect(pull.mergeable_state).not.toBe('unknown');
    return { mergeable: pull.mergeable, state: pull.mergeable_state };
  }, 60_000);

const merge = async ({ octokit, repo }: Shop, number: number) =>
  await octokit.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
    ...repo,
    pull_number: number,
    merge_method: 'squash',
  });

it('is blocked until each required check has passed, and tells the merge which one is missing', async () => {
  const shop = await openPullRequest();
  const { number, sha, asOwner } = shop;
  await shop.protect({ checks: ['ci', 'lint'] });
  expect((await readState(shop, number)).mergeable_state).toBe('unknown');
  const blocked = { mergeable: true, state: 'blocked' };
  expect(await waitForState(shop, number)).toEqual(blocked);
  await expect(merge(shop, number)).rejects.toMatchObject({
    status: 405,
    message: expect.stringContaining('2 of 2 required status checks have not succeeded.'),
  });
  await asOwner('POST', `/statuses/${sha}`, { state: 'success', context: 'lint' });
  await expect(merge(shop, number)).rejects.toThrow('Required status check "ci" is expected.');
  const run = (await asOwner('POST', '/check-runs', { name: 'ci', head_sha: sha })) as { id: number };
  await expect(merge(shop, number)).rejects.toThrow('Required status check "ci" is pending.');
  await asOwner('PATCH', `/check-runs/${run.id}`, { conclusion: 'failure' });
  expect(await waitForState(shop, number)).toEqual(blocked);
  await expect(merge(shop, number)).rejects.toThrow('Required status check "ci" is failing.');
  await asOwner('PATCH', `/check-runs/${run.id}`, { conclusion: 'success' });
  expect(await waitForState(shop, number)).toEqual({ mergeable: true, state: 'clean' });
  expect((await merge(shop, number)).status).toBe(200);
});

it('is blocked until people have approved the newest commit', async () => {
  const shop = await openPullRequest();
  const { number, asOwner, codehost, token } = shop;
  const review = async (event: string): Promise<unknown> =>
    await asOwner('POST', `/pulls/${number}/reviews`, { event, body: 'Read.' });
  await shop.protect({ reviews: 1, dismissStale: true });
  await expect(merge(shop, number)).rejects.toThrow('At least 1 approving review is required by reviewers with write');
  await review('REQUEST_CHANGES');
  await expect(merge(shop, number)).rejects.toThrow('Changes were requested');
  await review('APPROVE');
  await review('COMMENT');
  expect(await waitForState(shop, number)).toMatchObject({ state: 'clean' });
  await pushBranch(codehost, { token, branch: 'feature', files: { 'more.txt': 'more\n' } });
  expect(await waitForState(shop, number)).toMatchObject({ state: 'blocked' });
  await review('APPROVE');
  expect((await merge(shop, number)).status).toBe(200);
});

it('is behind while the rule wants the newest base, and clean after an update', async () => {
  const shop = await openPullRequest();
  const { number, asOwner, octokit, repo, codehost } = shop;
  await shop.protect({ strict: true });
  expect(await waitForState(shop, number)).toMatchObject({ state: 'clean' });
  await pushBranch(codehost, { token: codehost.userToken, branch: 'main', files: { 'other.txt': 'other\n' } });
  expect(await waitForState(shop, number)).toEqual({ mergeable: true, state: 'behind' });
  await expect(merge(shop, number)).rejects.toThrow('Head branch is out of date.');
  const at = { ...repo, pull_number: number };
  await octokit.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/update-branch', at);
  expect(await waitForState(shop, number)).toMatchObject({ state: 'clean' });
  await asOwner('DELETE', '/branches/main/protection');
  await pushBranch(codehost, { token: codehost.userToken, branch: 'main', files: { 'again.txt': 'again\n' } });
  expect(await waitForState(shop, number)).toMatchObject({ state: 'clean' });
});

it('is unstable with a failing check that is not required, and has hooks with a pre-receive hook', async () => {
  const shop = await openPullRequest();
  const { number, sha, asOwner } = shop;
  await asOwner('PATCH', '/pre-receive-hooks/1', { enforcement: 'enabled' });
  expect(await waitForState(shop, number)).toEqual({ mergeable: true, state: 'has_hooks' });
  await asOwner('POST', `/statuses/${sha}`, { state: 'failure', context: 'optional' });
  expect(await waitForState(shop, number)).toEqual({ mergeable: true, state: 'unstable' });
  expect((await merge(shop, number)).status).toBe(200);
});

it('applies rulesets, which the branch itself does not show', async () => {
  const shop = await openPullRequest();
  const { number, octokit, repo, asOwner } = shop;
  const parameters = { required_status_checks: [{ context: 'ci' }], strict_required_status_checks_policy: false };
  await asOwner('POST', '/rulesets', {
    name: 'main',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'required_status_checks', parameters }],
  });
  expect(await waitForState(shop, number)).toMatchObject({ state: 'blocked' });
  const at = { ...repo, branch: 'main' };
  const { data: branch } = await octokit.request('GET /repos/{owner}/{repo}/branches/{branch}', at);
  expect(branch.protection.required_status_checks).toMatchObject({ enforcement_level: 'off', contexts: [] });
  const { data: rules } = await octokit.request('GET /repos/{owner}/{repo}/rules/branches/{branch}', at);
  expect(rules).toMatchObject([{ type: 'required_status_checks', parameters }]);
});

it('lets the owner merge past a protection that does not include administrators', async () => {
  const shop = await openPullRequest();
  await shop.protect({ checks: ['ci'] });
  expect(await shop.asOwner('PUT', `/pulls/${shop.number}/merge`, {})).toMatchObject({ merged: true });
});
