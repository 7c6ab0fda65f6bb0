import { expect, it } from 'vitest';
import { startShopFixture } from '../codehost-fixture.ts';

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

it('creates a commit of several files from single git objects', async () => {
  const { octokit, repo } = await startShopFixture({ 'README.md': 'shop\n', 'old/a.txt': 'a', 'old/b.txt': 'b' });
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
    content: toBase64('run\n'),
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

it('422: paths and objects that git rejects', async () => {
  const { octokit, repo } = await startShopFixture();
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
