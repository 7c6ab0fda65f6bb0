import { expect, it } from 'vitest';
import { runGit } from '../../../support/run-git.ts';
import { startShopFixture, createFolder, pushBranch } from '../codehost-fixture.ts';

type Shop = Awaited<ReturnType<typeof startShopFixture>>;

const createPull = async (
  shop: Shop,
  { branch = 'feature', files = { 'new.txt': 'new\n' } as Record<string, string>, draft = false, body = '' } = {},
) => {
  const sha = await pushBranch(shop.codehost, { token: shop.token, branch, files });
  const { data } = await shop.octokit.request('POST /repos/{owner}/{repo}/pulls', {
    ...shop.repo,
    title: 'Add it',
    head: branch,
    base: 'main',
    draft,
    body,
  });
  return { sha, number: data.number, nodeId: data.node_id };
};

const read = async ({ octokit, repo }: Shop, number: number) =>
  (await octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...repo, pull_number: number })).data;

const waitForMergeability = async (shop: Shop, number: number) => {
  await expect.poll(async () => (await read(shop, number)).mergeable).not.toBeNull();
  return await read(shop, number);
};

const merge = (
  { octokit, repo }: Shop,
  number: number,
  options: {
    sha?: string;
    merge_method?: 'merge' | 'squash' | 'rebase';
    commit_title?: string;
    commit_message?: string;
  } = {},
) =>
  octokit.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
    ...repo,
    pull_number: number,
    merge_method: 'squash',
    ...options,
  });

it('squashes a pushed branch into the base, and emits each event', async () => {
  const shop = await startShopFixture();
  const issue = (await shop.octokit.request('POST /repos/{owner}/{repo}/issues', { ...shop.repo, title: 'Wanted' }))
    .data;
  const { sha, number } = await createPull(shop, { body: `Closes #${issue.number}` });

  expect(await read(shop, number)).toMatchObject({
    mergeable: null,
    mergeable_state: 'unknown',
    merged: false,
    commits: 1,
    changed_files: 1,
    additions: 1,
    head: { sha },
  });
  expect(await waitForMergeability(shop, number)).toMatchObject({ mergeable: true, mergeable_state: 'clean' });
  const before = await readMainSha(shop);
  const { data, status } = await merge(shop, number, { sha, commit_title: 'feat: add it', commit_message: 'Because.' });
  expect(status).toBe(200);
  expect(data).toMatchObject({ merged: true, message: 'Pull Request successfully merged' });

  expect(await read(shop, number)).toMatchObject({
    state: 'closed',
    merged: true,
    merge_commit_sha: data.sha,
    merged_by: { login: 'delivery[bot]' },
  });
  const { data: commit } = await shop.octokit.request('GET /repos/{owner}/{repo}/commits/{ref}', {
    ...shop.repo,
    ref: 'main',
  });
  expect(commit).toMatchObject({
    sha: data.sha,
    parents: [{ sha: before }],
    commit: { message: 'feat: add it\n\nBecause.' },
    files: [{ filename: 'new.txt', status: 'added', patch: '@@ -0,0 +1 @@\n+new' }],
  });
  const [closed] = await shop.receiver.received('pull_request.closed');
  expect(closed?.payload).toMatchObject({
    number,
    pull_request: { merged: true, merge_commit_sha: data.sha },
    sender: { type: 'Bot' },
  });
  await shop.receiver.received('issues.closed');
  const [opened] = await shop.receiver.received('pull_request.opened');
  expect(opened).toMatchObject({
    hasValidSignature: true,
    payload: {
      number,
      repository: { full_name: 'acme/shop' },
      organization: { login: 'acme' },
      installation: { id: expect.any(Number) },
    },
  });
});

const readMainSha = async ({ octokit, repo }: Shop): Promise<string> =>
  (await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...repo, ref: 'heads/main' })).data.object.sha;

it('409: a merge with an outdated head sha', async () => {
  const shop = await startShopFixture();
  const { sha, number } = await createPull(shop);
  await waitForMergeability(shop, number);
  const moved = await pushBranch(shop.codehost, {
    token: shop.token,
    branch: 'feature',
    files: { 'more.txt': 'more' },
  });

  const [synchronize] = await shop.receiver.received('pull_request.synchronize');
  expect(synchronize?.payload).toMatchObject({
    before: sha,
    after: moved,
    pull_request: { head: { sha: moved }, mergeable: null },
  });
  await expect(merge(shop, number, { sha })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('Head branch was modified. Review and try the merge again.'),
  });
});

it('405: the base moved because of a concurrent merge', async () => {
  const shop = await startShopFixture();
  const one = await createPull(shop, { branch: 'one', files: { 'one.txt': 'one' } });
  const two = await createPull(shop, { branch: 'two', files: { 'two.txt': 'two' } });
  const [first, second] = await Promise.allSettled([merge(shop, one.number), merge(shop, two.number)]);
  const rejected = first.status === 'rejected' ? { ...first, number: one.number } : { ...second, number: two.number };

  expect(rejected).toMatchObject({
    status: 'rejected',
    reason: { status: 405, message: expect.stringContaining('Base branch was modified. Review and try the merge') },
  });
  expect((await merge(shop, rejected.number)).status).toBe(200);
});

it('merges a pull request with unknown mergeability if it has no conflicts', async () => {
  const shop = await startShopFixture();
  const { number } = await createPull(shop);
  await waitForMergeability(shop, number);
  await pushBranch(shop.codehost, { token: shop.token, branch: 'main', files: { 'other.txt': 'other' } });
  expect((await merge(shop, number)).status).toBe(200);
});

it('405: merging a conflicting, draft or closed pull request', async () => {
  const shop = await startShopFixture();
  const conflicted = await createPull(shop, { branch: 'one', files: { 'README.md': 'one\n' } });
  const draft = await createPull(shop, { branch: 'two', draft: true });
  const closed = await createPull(shop, { branch: 'three' });
  await shop.octokit.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
    ...shop.repo,
    pull_number: closed.number,
    state: 'closed',
  });
  await pushBranch(shop.codehost, { token: shop.token, branch: 'main', files: { 'README.md': 'other\n' } });

  expect(await waitForMergeability(shop, conflicted.number)).toMatchObject({
    mergeable: false,
    mergeable_state: 'dirty',
  });
  expect(await waitForMergeability(shop, draft.number)).toMatchObject({
    mergeable: true,
    mergeable_state: 'draft',
    draft: true,
  });
  for (const { number } of [conflicted, draft, closed]) {
    await expect(merge(shop, number)).rejects.toMatchObject({
      status: 405,
      message: expect.stringContaining('Pull Request is not mergeable'),
    });
  }
});

it('422: a duplicate pull request, one without commits, and one of an unknown branch', async () => {
  const shop = await startShopFixture();
  await createPull(shop);
  const open = (head: string) =>
    shop.octokit.request('POST /repos/{owner}/{repo}/pulls', { ...shop.repo, title: 't', head, base: 'main' });
  const getError = async (head: string): Promise<unknown> =>
    open(head).catch((error: { status: number; response: { data: { message: string; errors: unknown[] } } }) => ({
      ...error.response.data,
      status: error.status,
    }));

  expect(await getError('acme:feature')).toMatchObject({
    status: 422,
    message: 'Validation Failed',
    errors: [{ message: 'A pull request already exists for acme:feature.' }],
  });
  await shop.octokit.request('POST /repos/{owner}/{repo}/git/refs', {
    ...shop.repo,
    ref: 'refs/heads/same',
    sha: await readMainSha(shop),
  });
  expect(await getError('same')).toMatchObject({
    status: 422,
    errors: [{ message: 'No commits between main and same' }],
  });
  expect(await getError('unknown')).toMatchObject({ status: 422, errors: [{ field: 'head', code: 'invalid' }] });
});

it('lists pull requests by state, base and head, and as issues', async () => {
  const shop = await startShopFixture();
  const { number } = await createPull(shop);
  const list = async (query: Record<string, string>) =>
    (await shop.octokit.request('GET /repos/{owner}/{repo}/pulls', { ...shop.repo, ...query })).data.map(
      (pull) => pull.number,
    );

  expect(await list({ head: 'acme:feature', state: 'all' })).toEqual([number]);
  expect(await list({ head: 'acme:other' })).toEqual([]);
  expect(await list({ base: 'other' })).toEqual([]);
  const { data } = await shop.octokit.request('GET /repos/{owner}/{repo}/issues', shop.repo);
  expect(data).toMatchObject([{ number, pull_request: { merged_at: null } }]);
});

it('returns files, commits and reviews, and rejects an approval by the author', async () => {
  const shop = await startShopFixture();
  const { sha, number } = await createPull(shop, { files: { 'README.md': 'better\n' } });
  const at = { ...shop.repo, pull_number: number };
  expect((await shop.octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', at)).data).toMatchObject([
    { filename: 'README.md', status: 'modified', patch: '@@ -1 +1 @@\n-shop\n+better' },
  ]);
  expect((await shop.octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/commits', at)).data).toMatchObject([
    { sha },
  ]);
  const { data: diff } = await shop.octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    ...at,
    mediaType: { format: 'diff' },
  });
  expect(String(diff)).toMatch(/^diff --git a\/README\.md/);

  const review = (event: 'APPROVE' | 'COMMENT', body: string) =>
    shop.octokit.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', { ...at, event, body });
  await expect(review('APPROVE', '')).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('Can not approve your own pull request'),
  });
  await review('COMMENT', 'Looks right');
  expect((await shop.octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', at)).data).toMatchObject([
    { state: 'COMMENTED', body: 'Looks right', commit_id: sha },
  ]);
});

it('merges the base into the head on request, and 422 when it is up to date', async () => {
  const shop = await startShopFixture();
  const { sha, number } = await createPull(shop);
  const update = (expected: string) =>
    shop.octokit.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/update-branch', {
      ...shop.repo,
      pull_number: number,
      expected_head_sha: expected,
    });

  await expect(update(sha)).rejects.toMatchObject({ status: 422 });
  const base = await pushBranch(shop.codehost, { token: shop.token, branch: 'main', files: { 'other.txt': 'other' } });
  expect((await update(sha)).status).toBe(202);
  const { head } = await read(shop, number);
  const { data } = await shop.octokit.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', {
    ...shop.repo,
    commit_sha: head.sha,
  });
  expect(data.parents.map((parent) => parent.sha)).toEqual([sha, base]);
  await expect(update(sha)).rejects.toMatchObject({ status: 422 });
});

it.each(['merge', 'rebase'] as const)('merges by %s', async (method) => {
  const shop = await startShopFixture();
  const { sha, number } = await createPull(shop);
  await pushBranch(shop.codehost, { token: shop.token, branch: 'feature', files: { 'new.txt': 'newer\n' } });
  const base = await pushBranch(shop.codehost, { token: shop.token, branch: 'main', files: { 'other.txt': 'other' } });
  await waitForMergeability(shop, number);
  const { data } = await merge(shop, number, { merge_method: method });

  const { data: range } = await shop.octokit.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
    ...shop.repo,
    basehead: `${base}...main`,
  });
  expect(range).toMatchObject({ status: 'ahead', behind_by: 0, ahead_by: method === 'merge' ? 3 : 2 });
  expect(range.commits.at(-1)?.sha).toBe(data.sha);
  expect(range.commits.some((commit) => commit.sha === sha)).toBe(method === 'merge');
  expect((await read(shop, number)).merged).toBe(true);
});

it('marks a pull request as merged when its commits are pushed to the base, and closes it when its branch is deleted', async () => {
  const shop = await startShopFixture();
  const pushed = await createPull(shop, { branch: 'one', files: { one: '1' } });
  const deleted = await createPull(shop, { branch: 'two', files: { two: '2' } });
  const folder = await createFolder();
  const remote = `${shop.codehost.url.replace('://', `://x:${shop.codehost.userToken}@`)}/acme/shop.git`;
  await runGit(folder, 'clone', '--quiet', remote, '.');
  await runGit(folder, 'push', '--quiet', 'origin', 'origin/one:main', ':two');

  expect(await read(shop, pushed.number)).toMatchObject({ merged: true, merged_by: { login: 'owner' } });
  expect(await read(shop, deleted.number)).toMatchObject({ merged: false, state: 'closed' });
  expect(await runGit(folder, 'ls-remote', 'origin', `refs/pull/${deleted.number}/head`)).toContain(deleted.sha);
});
