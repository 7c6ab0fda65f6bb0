import { expect, it } from 'vitest';
import { pushBranch, startShopFixture } from '../codehost-fixture.ts';

it('lists who moved a branch, and how, newest first', async () => {
  const { codehost, octokit, repo, token } = await startShopFixture();
  const first = await pushBranch(codehost, { token, branch: 'fix', files: { 'a.txt': 'a\n' } });
  const second = await pushBranch(codehost, { token: codehost.userToken, branch: 'fix', files: { 'a.txt': 'b\n' } });
  const ref = { ...repo, ref: 'heads/fix' };
  await octokit.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...ref, sha: first, force: true });
  await octokit.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', ref);
  const list = async (name: string) => {
    const { data } = await octokit.request('GET /repos/{owner}/{repo}/activity', { ...repo, ref: name });
    return data.map(({ activity_type: kind, before, after, actor }) => [kind, before, after, actor?.type]);
  };
  const noCommit = '0'.repeat(40);
  const expected = [
    ['branch_deletion', first, noCommit, 'Bot'],
    ['force_push', second, first, 'Bot'],
    ['push', first, second, 'User'],
    ['branch_creation', noCommit, first, 'Bot'],
  ];
  expect(await list('refs/heads/fix')).toEqual(expected);
  expect(await list('fix')).toEqual(expected);
  expect(await list('none')).toEqual([]);
  const { data: all } = await octokit.request('GET /repos/{owner}/{repo}/activity', repo);
  expect(all.map(({ ref: name }) => name)).toContain('refs/heads/main');
});
