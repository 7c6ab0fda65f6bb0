import { describe, expect, it } from 'vitest';
import {
  base,
  connectPulls,
  head,
  pull,
  pullPath,
  raw,
  readPull,
  refused,
  repo,
  squashed,
  testMerge,
} from './scripted-pull.ts';

describe('getPullRequest', () => {
  const read = async (fields: object) =>
    await (await connectPulls({ [readPull]: { body: { ...raw, ...fields } } })).host.getPullRequest(repo, 7);

  it('returns an open pull request', async () => {
    expect(await read({})).toEqual({
      number: 7,
      nodeId: 'PR_7',
      url: 'https://codehost.test/acme/shop/pull/7',
      title: 'Add it',
      state: 'open',
      draft: false,
      merged: false,
      mergeCommit: undefined,
      testMergeCommit: testMerge,
      headBranch: 'feature',
      headRepo: repo,
      headSha: head,
      baseBranch: 'main',
      baseSha: base,
      mergeable: 'yes',
      rules: 'passed',
    });
  });

  it.each([
    [{ mergeable: null }, { mergeable: 'unknown', testMergeCommit: undefined }],
    [{ mergeable: undefined }, { mergeable: 'unknown' }],
    [{ mergeable: false }, { mergeable: 'conflicted', testMergeCommit: undefined }],
    [{ merge_commit_sha: null }, { mergeCommit: undefined, testMergeCommit: undefined }],
    [
      { merged: true, state: 'closed' },
      { merged: true, state: 'closed', mergeCommit: testMerge, testMergeCommit: undefined },
    ],
    [{ merged: true, merge_commit_sha: null }, { mergeCommit: undefined }],
    [{ merged: undefined, merged_at: '2026-05-04T10:00:00Z' }, { merged: true }],
    [{ merged: undefined, merged_at: null }, { merged: false }],
    [{ draft: true }, { draft: true }],
    [{ draft: undefined }, { draft: false }],
    [{ head: { ...raw.head, repo: null } }, { headRepo: undefined }],
    [{ mergeable_state: 'blocked' }, { rules: 'blocked' }],
    [{ mergeable_state: 'behind' }, { rules: 'behind' }],
    [{ mergeable_state: 'unstable' }, { rules: 'passed' }],
  ])('reads %j', async (fields, expected) => {
    expect(await read(fields)).toMatchObject(expected);
  });

  it('names the pull request that the repo does not have', async () => {
    const { host } = await connectPulls({});
    await expect(host.getPullRequest(repo, 8)).rejects.toMatchObject({
      message: expect.stringContaining('pull request acme/shop#8'),
    });
  });
});

describe('findPullRequest and openPullRequest', () => {
  const search = 'GET /repos/acme/shop/pulls?head=acme%3Afeature&state=all&sort=created&direction=desc&per_page=1';
  const create = 'POST /repos/acme/shop/pulls';
  const texts = { headBranch: 'feature', baseBranch: 'main', title: 'Add it', body: 'Closes #1', draft: true };

  it('find the newest from a branch, or none', async () => {
    const { host } = await connectPulls({ [search]: { body: [raw] }, [readPull]: pull({ state: 'closed' }) });
    expect(await host.findPullRequest(repo, 'feature')).toMatchObject({ number: 7, state: 'closed' });
    const empty = await connectPulls({ [search]: { body: [] } });
    expect(await empty.host.findPullRequest(repo, 'feature')).toBeUndefined();
  });

  it('say that the application has no access', async () => {
    const rejected = await connectPulls({ [search]: refused(401, 'Bad credentials') });
    await expect(rejected.host.findPullRequest(repo, 'feature')).rejects.toMatchObject({
      reason: 'codehost-access-denied',
    });
    const gone = await connectPulls({});
    const notFound = { reason: 'not-found', message: expect.stringContaining('the pull requests of acme/shop') };
    await expect(gone.host.openPullRequest(repo, texts)).rejects.toMatchObject(notFound);
  });

  it('open one unless it is open already', async () => {
    const open = await connectPulls({ [search]: { body: [raw] }, [readPull]: pull() });
    expect(await open.host.openPullRequest(repo, texts)).toMatchObject({ number: 7, state: 'open' });
    expect(open.requests.map(({ route }) => route)).not.toContain(create);
    const closed = await connectPulls({
      [search]: { body: [raw] },
      [readPull]: pull({ state: 'closed' }),
      [create]: { status: 201, body: { ...raw, number: 8 } },
    });
    expect(await closed.host.openPullRequest(repo, texts)).toMatchObject({ number: 8, state: 'open' });
    expect(closed.requests.at(-1)?.body).toEqual({
      head: 'feature',
      base: 'main',
      title: 'Add it',
      body: 'Closes #1',
      draft: true,
    });
  });

  it('open one that is no draft in a repo without drafts', async () => {
    const { host, requests } = await connectPulls({
      [search]: { body: [] },
      [create]: [
        refused(422, 'Draft pull requests are not supported in this repository.'),
        { status: 201, body: { ...raw, number: 8 } },
      ],
    });
    expect(await host.openPullRequest(repo, texts)).toMatchObject({ number: 8, draft: false });
    const { headBranch: head, baseBranch: base, title, body } = texts;
    expect(requests.at(-1)).toEqual({ route: create, body: { head, base, title, body, draft: false } });
  });

  it('return the one that another process opened in between', async () => {
    const { host } = await connectPulls({
      [search]: [{ body: [] }, { body: [raw] }],
      [create]: refused(422, 'A pull request already exists'),
      [readPull]: pull(),
    });
    expect(await host.openPullRequest(repo, texts)).toMatchObject({ number: 7 });
  });

  it.each([
    [422, { code: 'invalid', message: expect.stringContaining('a pull request from feature in acme/shop') }, 2],
    [503, { reason: 'codehost-unreachable' }, 1],
  ])('report a refusal with status %d', async (status, error, searches) => {
    const { host, requests } = await connectPulls({ [search]: { body: [] }, [create]: refused(status, 'No') });
    await expect(host.openPullRequest(repo, texts)).rejects.toMatchObject(error);
    expect(requests.filter(({ route }) => route === search)).toHaveLength(searches);
  });
});

describe('markReadyForReview', () => {
  it.each([
    ['an open draft', { draft: true, state: 'open' }, 1],
    ['what is no draft', { draft: false, state: 'open' }, 0],
    ['a closed draft, which the code host rejects', { draft: true, state: 'closed' }, 0],
  ] as const)('marks %s', async (_name, fields, count) => {
    const { host, requests } = await connectPulls({
      'POST /graphql': { body: { data: { markPullRequestReadyForReview: null } } },
      [readPull]: pull(fields),
    });
    await host.markReadyForReview(repo, await host.getPullRequest(repo, 7));
    const marked = requests.filter(({ route }) => route === 'POST /graphql');
    expect(marked).toHaveLength(count);
    for (const { body } of marked) expect(body).toMatchObject({ variables: { id: 'PR_7' } });
  });
});

describe('updatePullRequestBranch and closePullRequest', () => {
  const update = `PUT ${pullPath}/update-branch`;
  const behind = pull({ mergeable_state: 'behind' });

  it('update only the head that was read', async () => {
    const { host, requests } = await connectPulls({ [update]: { status: 202, body: {} } });
    await host.updatePullRequestBranch(repo, { number: 7, headSha: head });
    expect(requests).toEqual([{ route: update, body: { expected_head_sha: head } }]);
  });

  it.each([
    ['the head has moved', 422, pull({ mergeable_state: 'behind', head: { ...raw.head, sha: squashed } })],
    ['it is not behind any more', 422, pull()],
  ])('leave a refusal to the next merge if %s', async (_name, status, state) => {
    const { host } = await connectPulls({ [update]: refused(status, 'No'), [readPull]: state });
    await host.updatePullRequestBranch(repo, { number: 7, headSha: head });
  });

  it.each([403, 422])('report a refusal with status %d of what stays behind', async (status) => {
    const { host } = await connectPulls({ [update]: refused(status, 'No right'), [readPull]: behind });
    await expect(host.updatePullRequestBranch(repo, { number: 7, headSha: head })).rejects.toMatchObject({
      reason: 'pull-request-not-mergeable',
      message: expect.stringContaining(
        'main requires an update of pull request #7, which the code host refused: No right',
      ),
    });
  });

  it('leave another failure to the retries', async () => {
    const { host } = await connectPulls({ [update]: refused(500, 'No'), [readPull]: pull() });
    await expect(host.updatePullRequestBranch(repo, { number: 7, headSha: head })).rejects.toMatchObject({
      status: 500,
    });
  });

  it('close it', async () => {
    const { host, requests } = await connectPulls({ [`PATCH ${pullPath}`]: pull({ state: 'closed' }) });
    await host.closePullRequest(repo, 7);
    expect(requests).toEqual([{ route: `PATCH ${pullPath}`, body: { state: 'closed' } }]);
    await expect((await connectPulls({})).host.closePullRequest(repo, 7)).rejects.toMatchObject({ status: 404 });
  });
});

it('lists no pull request from a fork, whose branch may have any name', async () => {
  const { host } = await connectPulls({
    'GET /repos/acme/shop/pulls?state=open&per_page=100': {
      body: [raw, { ...raw, number: 8, head: { ...raw.head, repo: { full_name: 'eve/shop' } } }],
    },
  });
  expect(await host.listOpenPullRequests(repo, 'feature')).toEqual([{ number: 7, headBranch: 'feature' }]);
});
