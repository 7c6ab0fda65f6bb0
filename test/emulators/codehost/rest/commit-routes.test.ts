import { expect, it } from 'vitest';
import { startShopFixture } from '../codehost-fixture.ts';

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

it('compares two commits', async () => {
  const { octokit, repo } = await startShopFixture();
  const put = async (path: string, branch: string): Promise<string> =>
    (
      await octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
        ...repo,
        path,
        branch,
        message: path,
        content: toBase64(path),
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

it('returns empty checks and statuses for any commit, including branches with a slash', async () => {
  const { octokit, repo, codehost } = await startShopFixture();
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
