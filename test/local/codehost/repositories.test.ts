import { expect, it } from 'vitest';
import { aShop } from './a-codehost.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

it('makes a commit of several files object by object', async () => {
  const { octokit, repo } = await aShop({ 'README.md': 'shop\n', 'old/a.txt': 'a', 'old/b.txt': 'b' });
  const { data: main } = await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...repo,
    ref: 'heads/main',
  });
  const { data: parent } = await octokit.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', {
    ...repo,
    commit_sha: main.object.sha,
  });
  const { data: blob } = await octokit.request('POST /repos/{owner}/{repo}/git/blobs', {
    ...repo,
    content: base64('run\n'),
    encoding: 'base64',
  });
  const { data: tree } = await octokit.request('POST /repos/{owner}/{repo}/git/trees', {
    ...repo,
    base_tree: parent.tree.sha,
    tree: [
      { path: 'bin/run', mode: '100755', type: 'blob', sha: blob.sha },
      { path: 'notes/ü.md', mode: '100644', type: 'blob', content: 'grüße' },
      { path: 'old', mode: '040000', type: 'tree', sha: null },
    ],
  });
  const { data: commit } = await octokit.request('POST /repos/{owner}/{repo}/git/commits', {
    ...repo,
    message: 'feat: run',
    tree: tree.sha,
    parents: [main.object.sha],
  });
  await octokit.request('POST /repos/{owner}/{repo}/git/refs', { ...repo, ref: 'refs/heads/a/b', sha: commit.sha });

  const { data: all } = await octokit.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
    ...repo,
    tree_sha: 'a/b',
    recursive: '1',
  });
  expect(all.tree.filter(({ type }) => type === 'blob').map(({ path, mode }) => `${mode} ${path}`)).toEqual([
    '100644 README.md',
    '100755 bin/run',
    '100644 notes/ü.md',
  ]);
  expect(commit).toMatchObject({
    message: 'feat: run',
    author: { name: 'delivery[bot]' },
    parents: [{ sha: main.object.sha }],
  });
  const { data: listed } = await octokit.request('GET /repos/{owner}/{repo}/commits', { ...repo, sha: 'a/b' });
  expect(listed).toMatchObject([
    { sha: commit.sha, author: { login: 'delivery[bot]', type: 'Bot' } },
    { sha: main.object.sha },
  ]);
});

it('refuses paths and objects that git would', async () => {
  const { octokit, repo } = await aShop();
  const post = (path: string, sha: string) =>
    octokit.request('POST /repos/{owner}/{repo}/git/trees', {
      ...repo,
      tree: [{ path, mode: '100644', type: 'blob', sha }],
    });
  const { data: blob } = await octokit.request('POST /repos/{owner}/{repo}/git/blobs', { ...repo, content: 'x' });

  await expect(post('.git/config', blob.sha)).rejects.toMatchObject({ status: 422 });
  await expect(post('../up', blob.sha)).rejects.toMatchObject({ status: 422 });
  await expect(post('a', '1'.repeat(40))).rejects.toMatchObject({ status: 422 });
});

it('creates, moves and deletes refs, in the words of the real host when it cannot', async () => {
  const { octokit, repo } = await aShop();
  const { data: main } = await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...repo,
    ref: 'heads/main',
  });
  const { sha } = main.object;
  const create = (ref: string, at: string) =>
    octokit.request('POST /repos/{owner}/{repo}/git/refs', { ...repo, ref, sha: at });
  const at = { ...repo, ref: 'heads/feature/x' };

  await create('refs/heads/feature/x', sha);
  const refused = async (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'taken',
      (error: { status: number; response: { data: { message: string } } }) =>
        `${error.status} ${error.response.data.message}`,
    );
  expect(await refused(create('refs/heads/feature/x', sha))).toBe('422 Reference already exists');
  expect(await refused(create('refs/heads/y', '1'.repeat(40)))).toBe('422 Object does not exist');
  expect(await refused(create('refs/heads/../y', sha))).toContain('422');
  expect(await refused(create('refs/pull/1/head', sha))).toContain('422');
  expect(
    await refused(octokit.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...repo, ref: 'heads/nope', sha })),
  ).toBe('422 Reference does not exist');

  const put = await octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
    ...repo,
    path: 'n.txt',
    branch: 'feature/x',
    message: 'n',
    content: base64('n'),
  });
  expect(put.status).toBe(201);
  expect(await refused(octokit.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, sha }))).toBe(
    '422 Update is not a fast forward',
  );
  expect(
    (await octokit.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, sha, force: true })).data.object.sha,
  ).toBe(sha);
  expect((await octokit.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', at)).status).toBe(204);
  expect(await refused(octokit.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', at))).toBe(
    '422 Reference does not exist',
  );
  expect(await refused(octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', at))).toBe('404 Not Found');
});

it('writes a file only over the version that the caller saw', async () => {
  const { octokit, repo } = await aShop({ 'docs/a b.md': 'one\n' });
  const at = { ...repo, path: 'docs/a b.md' };
  const put = (more: { sha?: string }) =>
    octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
      ...at,
      message: 'two',
      content: base64('two\n'),
      ...more,
    });
  const { data: file } = (await octokit.request('GET /repos/{owner}/{repo}/contents/{path}', at)) as {
    data: { sha: string; content: string; type: string };
  };

  expect(Buffer.from(file.content, 'base64').toString()).toBe('one\n');
  await expect(put({})).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining(`"sha" wasn't supplied`),
  });
  await expect(put({ sha: '1'.repeat(40) })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('does not match'),
  });
  expect((await put({ sha: file.sha })).status).toBe(200);

  const raw = await octokit.request('GET /repos/{owner}/{repo}/contents/{path}', {
    ...at,
    mediaType: { format: 'raw' },
  });
  expect(String(raw.data)).toBe('two\n');
  const { data: folder } = await octokit.request('GET /repos/{owner}/{repo}/contents/{path}', {
    ...repo,
    path: 'docs',
  });
  expect(folder).toMatchObject([{ name: 'a b.md', type: 'file' }]);
  await expect(
    octokit.request('GET /repos/{owner}/{repo}/contents/{path}', { ...repo, path: 'nothing' }),
  ).rejects.toMatchObject({ status: 404 });
  const { data: now } = (await octokit.request('GET /repos/{owner}/{repo}/contents/{path}', at)) as {
    data: { sha: string };
  };
  expect(
    (await octokit.request('DELETE /repos/{owner}/{repo}/contents/{path}', { ...at, message: 'gone', sha: now.sha }))
      .status,
  ).toBe(200);
});

it('compares two commits', async () => {
  const { octokit, repo } = await aShop();
  const put = async (path: string, branch: string): Promise<string> =>
    (
      await octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
        ...repo,
        path,
        branch,
        message: path,
        content: base64(path),
      })
    ).data.commit.sha ?? '';
  const { data: main } = await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...repo,
    ref: 'heads/main',
  });
  await octokit.request('POST /repos/{owner}/{repo}/git/refs', {
    ...repo,
    ref: 'refs/heads/feature/x',
    sha: main.object.sha,
  });
  const compare = async (basehead: string) =>
    (await octokit.request('GET /repos/{owner}/{repo}/compare/{basehead}', { ...repo, basehead })).data;

  expect(await compare('main...feature/x')).toMatchObject({ status: 'identical', ahead_by: 0, commits: [], files: [] });
  const added = await put('a', 'feature/x');
  expect(await compare('main...feature/x')).toMatchObject({
    status: 'ahead',
    ahead_by: 1,
    commits: [{ sha: added }],
    files: [{ filename: 'a', status: 'added', patch: expect.any(String) }],
  });
  expect(await compare('feature/x...main')).toMatchObject({ status: 'behind', behind_by: 1, files: [] });
  await put('b', 'main');
  expect(await compare('main...feature/x')).toMatchObject({
    status: 'diverged',
    ahead_by: 1,
    behind_by: 1,
    merge_base_commit: { sha: main.object.sha },
    files: [{ filename: 'a' }],
  });
  await expect(compare('main...nowhere')).rejects.toMatchObject({ status: 404 });
});

it('makes the tag of a release that has none, and each release once', async () => {
  const { octokit, repo, receiver } = await aShop();
  const release = (tag: string, target: string) =>
    octokit.request('POST /repos/{owner}/{repo}/releases', {
      ...repo,
      tag_name: tag,
      target_commitish: target,
      name: tag,
      body: 'notes',
    });
  const { data: main } = await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...repo,
    ref: 'heads/main',
  });
  const { data: made } = await release('v1.0.0', main.object.sha);

  expect(
    (await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...repo, ref: 'tags/v1.0.0' })).data.object,
  ).toMatchObject({ sha: main.object.sha, type: 'commit' });
  expect(
    (await octokit.request('GET /repos/{owner}/{repo}/releases/tags/{tag}', { ...repo, tag: 'v1.0.0' })).data,
  ).toMatchObject({ id: made.id, body: 'notes', draft: false });
  const again = release('v1.0.0', main.object.sha);
  await expect(again).rejects.toMatchObject({
    status: 422,
    response: { data: { errors: [{ resource: 'Release', code: 'already_exists', field: 'tag_name' }] } },
  });
  await expect(release('v2.0.0', 'nowhere')).rejects.toMatchObject({ status: 422 });
  await expect(
    octokit.request('GET /repos/{owner}/{repo}/releases/tags/{tag}', { ...repo, tag: 'v9' }),
  ).rejects.toMatchObject({ status: 404 });
  expect((await octokit.request('GET /repos/{owner}/{repo}/tags', repo)).data).toMatchObject([
    { name: 'v1.0.0', commit: { sha: main.object.sha } },
  ]);
  const [published] = await receiver.received('release.published');
  expect(published?.payload).toMatchObject({ release: { tag_name: 'v1.0.0', target_commitish: main.object.sha } });
});

it('knows annotated tags', async () => {
  const { octokit, repo } = await aShop();
  const { data: main } = await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...repo,
    ref: 'heads/main',
  });
  const { data: tag } = await octokit.request('POST /repos/{owner}/{repo}/git/tags', {
    ...repo,
    tag: 'v1',
    message: 'One',
    object: main.object.sha,
    type: 'commit',
  });
  await octokit.request('POST /repos/{owner}/{repo}/git/refs', { ...repo, ref: 'refs/tags/v1', sha: tag.sha });

  expect(
    (await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...repo, ref: 'tags/v1' })).data.object,
  ).toMatchObject({ sha: tag.sha, type: 'tag' });
  expect(
    (await octokit.request('GET /repos/{owner}/{repo}/git/tags/{tag_sha}', { ...repo, tag_sha: tag.sha })).data,
  ).toMatchObject({ tag: 'v1', message: 'One', object: { sha: main.object.sha } });
  expect((await octokit.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...repo, ref: 'v1' })).data.sha).toBe(
    main.object.sha,
  );
});

it('has no checks and no statuses for any commit, also by the name of a branch with a slash', async () => {
  const { octokit, repo, codehost } = await aShop();
  const { data: main } = await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...repo,
    ref: 'heads/main',
  });
  await octokit.request('POST /repos/{owner}/{repo}/git/refs', {
    ...repo,
    ref: 'refs/heads/a/b',
    sha: main.object.sha,
  });
  expect(
    (await octokit.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', { ...repo, ref: 'a/b' })).data,
  ).toEqual({ total_count: 0, check_runs: [] });
  expect(
    (await octokit.request('GET /repos/{owner}/{repo}/commits/{ref}/status', { ...repo, ref: 'main' })).data,
  ).toMatchObject({ state: 'pending', statuses: [], sha: main.object.sha });
  expect(await (await fetch(`${codehost.apiUrl}/repos/acme/shop/commits/a/b/check-runs`)).json()).toMatchObject({
    total_count: 0,
  });
  expect(await (await fetch(`${codehost.apiUrl}/repos/acme/shop/commits/a/b`)).json()).toMatchObject({
    sha: main.object.sha,
  });
});

it('422: a repository that is there already', async () => {
  const { octokit } = await aShop();
  const create = () =>
    octokit.request('POST /orgs/{org}/repos', { org: 'acme', name: 'gitops', auto_init: true, private: true });
  expect((await create()).data).toMatchObject({ full_name: 'acme/gitops', private: true, default_branch: 'main' });
  await expect(create()).rejects.toMatchObject({
    status: 422,
    response: { data: { errors: [{ message: 'name already exists on this account' }] } },
  });
});
