import { expect, it, vi } from 'vitest';
import { aShop, git, aFolder, pushBranch } from './a-codehost.ts';

type Shop = Awaited<ReturnType<typeof aShop>>;

const aPull = async (
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

const known = (shop: Shop, number: number) =>
  vi.waitFor(async () => {
    const pull = await read(shop, number);
    expect(pull.mergeable).not.toBeNull();
    return pull;
  });

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

it('goes from a pushed branch to a squash commit on the base, and tells of each step', async () => {
  const shop = await aShop();
  const issue = (await shop.octokit.request('POST /repos/{owner}/{repo}/issues', { ...shop.repo, title: 'Wanted' }))
    .data;
  const { sha, number } = await aPull(shop, { body: `Closes #${issue.number}` });

  expect(await read(shop, number)).toMatchObject({
    mergeable: null,
    mergeable_state: 'unknown',
    merged: false,
    commits: 1,
    changed_files: 1,
    additions: 1,
    head: { sha },
  });
  expect(await known(shop, number)).toMatchObject({ mergeable: true, mergeable_state: 'clean' });
  const before = await pushedMain(shop);
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
    genuine: true,
    payload: {
      number,
      repository: { full_name: 'acme/shop' },
      organization: { login: 'acme' },
      installation: { id: expect.any(Number) },
    },
  });
});

const pushedMain = async ({ octokit, repo }: Shop): Promise<string> =>
  (await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...repo, ref: 'heads/main' })).data.object.sha;

it('409: the head moved since the caller looked', async () => {
  const shop = await aShop();
  const { sha, number } = await aPull(shop);
  await known(shop, number);
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

it('405: the base moved under the merge, since others merged at the same time', async () => {
  const shop = await aShop();
  const one = await aPull(shop, { branch: 'one', files: { 'one.txt': 'one' } });
  const two = await aPull(shop, { branch: 'two', files: { 'two.txt': 'two' } });
  const [first, second] = await Promise.allSettled([merge(shop, one.number), merge(shop, two.number)]);
  const refused = first.status === 'rejected' ? { ...first, number: one.number } : { ...second, number: two.number };

  expect(refused).toMatchObject({
    status: 'rejected',
    reason: { status: 405, message: expect.stringContaining('Base branch was modified. Review and try the merge') },
  });
  expect((await merge(shop, refused.number)).status).toBe(200);
});

it('merges what nobody has judged yet, where it can be', async () => {
  const shop = await aShop();
  const { number } = await aPull(shop);
  await known(shop, number);
  await pushBranch(shop.codehost, { token: shop.token, branch: 'main', files: { 'other.txt': 'other' } });
  expect((await merge(shop, number)).status).toBe(200);
});

it('405: conflicts, a draft, a closed and a merged one are not mergeable', async () => {
  const shop = await aShop();
  const conflicted = await aPull(shop, { branch: 'one', files: { 'README.md': 'one\n' } });
  const draft = await aPull(shop, { branch: 'two', draft: true });
  const closed = await aPull(shop, { branch: 'three' });
  await shop.octokit.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
    ...shop.repo,
    pull_number: closed.number,
    state: 'closed',
  });
  await pushBranch(shop.codehost, { token: shop.token, branch: 'main', files: { 'README.md': 'other\n' } });

  expect(await known(shop, conflicted.number)).toMatchObject({ mergeable: false, mergeable_state: 'dirty' });
  expect(await known(shop, draft.number)).toMatchObject({ mergeable: true, mergeable_state: 'draft', draft: true });
  for (const { number } of [conflicted, draft, closed]) {
    await expect(merge(shop, number)).rejects.toMatchObject({
      status: 405,
      message: expect.stringContaining('Pull Request is not mergeable'),
    });
  }
});

it('leaves draft by GraphQL alone', async () => {
  const shop = await aShop();
  const { number, nodeId } = await aPull(shop, { draft: true });
  const mutation =
    'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }';

  expect(await shop.octokit.graphql(mutation, { id: nodeId })).toEqual({
    markPullRequestReadyForReview: { pullRequest: { isDraft: false } },
  });
  expect((await read(shop, number)).draft).toBe(false);
  await shop.receiver.received('pull_request.ready_for_review');
  await expect(shop.octokit.graphql(mutation, { id: 'PR_nobody' })).rejects.toThrow('Could not resolve to a node');
  await expect(shop.octokit.graphql('{ viewer { login } }')).rejects.toThrow('alone');
});

it('422: a second pull request from a branch, one with no commits, one from nowhere', async () => {
  const shop = await aShop();
  await aPull(shop);
  const open = (head: string) =>
    shop.octokit.request('POST /repos/{owner}/{repo}/pulls', { ...shop.repo, title: 't', head, base: 'main' });
  const errorOf = async (head: string): Promise<unknown> =>
    open(head).catch((error: { status: number; response: { data: { message: string; errors: unknown[] } } }) => ({
      ...error.response.data,
      status: error.status,
    }));

  expect(await errorOf('acme:feature')).toMatchObject({
    status: 422,
    message: 'Validation Failed',
    errors: [{ message: 'A pull request already exists for acme:feature.' }],
  });
  await shop.octokit.request('POST /repos/{owner}/{repo}/git/refs', {
    ...shop.repo,
    ref: 'refs/heads/same',
    sha: await pushedMain(shop),
  });
  expect(await errorOf('same')).toMatchObject({
    status: 422,
    errors: [{ message: 'No commits between main and same' }],
  });
  expect(await errorOf('nowhere')).toMatchObject({ status: 422, errors: [{ field: 'head', code: 'invalid' }] });
});

it('lists by state, base and head with its owner; they are issues as well', async () => {
  const shop = await aShop();
  const { number } = await aPull(shop);
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

it('shows files, commits and reviews, and takes no approval of its author', async () => {
  const shop = await aShop();
  const { sha, number } = await aPull(shop, { files: { 'README.md': 'better\n' } });
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

it('brings the base into the head on request, and says when there is nothing to bring', async () => {
  const shop = await aShop();
  const { sha, number } = await aPull(shop);
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
  const shop = await aShop();
  const { sha, number } = await aPull(shop);
  await pushBranch(shop.codehost, { token: shop.token, branch: 'feature', files: { 'new.txt': 'newer\n' } });
  const base = await pushBranch(shop.codehost, { token: shop.token, branch: 'main', files: { 'other.txt': 'other' } });
  await known(shop, number);
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

it('takes a pull request whose commits were pushed to the base for merged, and one whose branch is gone for closed', async () => {
  const shop = await aShop();
  const pushed = await aPull(shop, { branch: 'one', files: { one: '1' } });
  const gone = await aPull(shop, { branch: 'two', files: { two: '2' } });
  const folder = await aFolder();
  const remote = `${shop.codehost.url.replace('://', `://x:${shop.codehost.userToken}@`)}/acme/shop.git`;
  await git(folder, 'clone', '--quiet', remote, '.');
  await git(folder, 'push', '--quiet', 'origin', 'origin/one:main', ':two');

  expect(await read(shop, pushed.number)).toMatchObject({ merged: true, merged_by: { login: 'owner' } });
  expect(await read(shop, gone.number)).toMatchObject({ merged: false, state: 'closed' });
  expect(await git(folder, 'ls-remote', 'origin', `refs/pull/${gone.number}/head`)).toContain(gone.sha);
});
