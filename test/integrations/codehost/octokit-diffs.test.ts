import { describe, expect, it } from 'vitest';
import { createFolder, pushBranch, withToken } from '../../emulators/codehost/codehost-fixture.ts';
import { runGit } from '../../support/run-git.ts';
import { connectShop } from './shop-codehost.ts';

const repo = 'acme/shop';
const main = async (host: Awaited<ReturnType<typeof connectShop>>['host']) => await host.findBranchHead(repo, 'main');

async function openPullRequest(files: Record<string, string>) {
  const { shop, host } = await connectShop();
  const headSha = await pushBranch(shop.codehost, { token: shop.codehost.userToken, branch: 'feature', files });
  const texts = { headBranch: 'feature', baseBranch: 'main', title: 'Add it', body: '', draft: false };
  const { number } = await host.openPullRequest(repo, texts);
  return { shop, host, number, headSha, base: await main(host) };
}

const manyFiles = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`many/${String(at).padStart(4, '0')}.txt`, 'one\n']));

describe('getPullRequestDiff', () => {
  it('returns the changes since the commit at which it left its base, before and after the merge', async () => {
    const { shop, host, number, headSha, base } = await openPullRequest({
      'README.md': 'shop\nnew\n',
      'empty.txt': '',
      'logo.png': '\0\u0001binary',
    });
    await pushBranch(shop.codehost, { token: shop.codehost.userToken, branch: 'main', files: { 'other.txt': 'x\n' } });
    const expected = {
      base,
      head: headSha,
      isTruncated: false,
      files: [
        { path: 'README.md', status: 'modified', additions: 1, deletions: 0, patch: '@@ -1 +1,2 @@\n shop\n+new' },
        { path: 'empty.txt', status: 'added', additions: 0, deletions: 0 },
        { path: 'logo.png', status: 'added', additions: 0, deletions: 0, omitted: 'binary' },
      ],
    };
    expect(await host.getPullRequestDiff(repo, number)).toEqual(expected);
    const merge = await host.mergePullRequest(repo, { number, headSha, title: 'Add', message: '' });
    await host.deleteBranch(repo, 'feature');
    expect(await host.getPullRequestDiff(repo, number)).toEqual(expected);
    const commit = merge.outcome === 'merged' ? merge.commit : '';
    expect(await host.getCommitDiff(repo, commit)).toMatchObject({ head: commit, files: expected.files });
  });

  it('reads all pages, and omits the hunks of a file that is too large', async () => {
    const large = Array.from({ length: 20_001 }, (_, at) => `${at}\n`).join('');
    const { host, number, headSha } = await openPullRequest({ ...manyFiles(301), 'large.txt': large });
    const { files, isTruncated } = await host.getPullRequestDiff(repo, number);
    expect([files.length, isTruncated]).toEqual([302, false]);
    expect(files[0]).toEqual({
      path: 'large.txt',
      status: 'added',
      additions: 20_001,
      deletions: 0,
      omitted: 'too-large',
    });
    expect((await host.getCommitDiff(repo, headSha)).files).toEqual(files);
    const compared = await host.getBranchDiff(repo, { base: 'main', head: headSha });
    expect([compared.files.length, compared.isTruncated]).toEqual([300, true]);
  });

  it('404: names the pull request that does not exist', async () => {
    const { host } = await connectShop();
    await expect(host.getPullRequestDiff(repo, 99)).rejects.toMatchObject({ reason: 'not-found' });
  });
});

describe('getBranchDiff', () => {
  it('returns renames with their previous path', async () => {
    const { shop, host } = await connectShop();
    const base = await main(host);
    const folder = await createFolder();
    const url = withToken(shop.codehost.url, shop.codehost.userToken);
    await runGit(folder, 'clone', '--quiet', `${url}/acme/shop.git`, '.');
    await runGit(folder, 'mv', 'README.md', 'READ ME.md');
    await runGit(folder, 'commit', '--quiet', '--message', 'Rename');
    await runGit(folder, 'push', '--quiet', 'origin', 'HEAD:refs/heads/rename');
    const head = await runGit(folder, 'rev-parse', 'HEAD');
    expect(await host.getBranchDiff(repo, { base: 'main', head })).toEqual({
      base,
      head,
      isTruncated: false,
      files: [{ path: 'READ ME.md', previousPath: 'README.md', status: 'renamed', additions: 0, deletions: 0 }],
    });
  });
});

describe('getCommitDiff', () => {
  it('returns all files of a first commit', async () => {
    const { host } = await connectShop();
    const sha = (await main(host)) ?? '';
    expect(await host.getCommitDiff(repo, sha)).toMatchObject({ base: sha, head: sha, files: [{ path: 'README.md' }] });
  });

  it('reports a code host that cannot be reached', async () => {
    const { shop, host } = await connectShop();
    await host.findBranchHead(repo, 'main');
    await shop.codehost.close();
    await expect(host.getCommitDiff(repo, 'a'.repeat(40))).rejects.toMatchObject({ reason: 'codehost-unreachable' });
  });
});
