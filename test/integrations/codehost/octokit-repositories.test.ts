import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { repositoryOperations } from '../../../src/integrations/codehost/octokit-repositories.ts';
import { pushBranch } from '../../emulators/codehost/codehost-fixture.ts';
import { connectShop } from './shop-codehost.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

const repo = 'acme/shop';
const path = 'GET /repos/acme/shop';
const missing = { status: 404, body: { message: 'Not Found' } };
const found = {
  body: { default_branch: 'trunk', clone_url: 'https://codehost.test/acme/shop.git', private: true, description: null },
};

/** The tokens are numbered; a refreshed one says so. */
async function connect(routes: Parameters<typeof startScriptedCodehost>[0]) {
  const { client, requests } = await startScriptedCodehost(routes);
  let count = 0;
  const getToken = async ({ refresh = false } = {}) => ({ token: `${refresh ? 'new' : 'any'}-${(count += 1)}` });
  return { host: repositoryOperations(client, getToken), requests };
}

async function openShop() {
  const { shop, host } = await connectShop();
  return { shop, host, base: (await host.findBranchHead(repo, 'main')) ?? '' };
}

describe('getRepository and findRepository', () => {
  it('return what the code host knows', async () => {
    const { host } = await connect({ [path]: found });
    expect(await host.getRepository(repo)).toEqual({
      defaultBranch: 'trunk',
      cloneUrl: 'https://codehost.test/acme/shop.git',
      private: true,
    });
    expect(await host.findRepository(repo)).toEqual({ defaultBranch: 'trunk', description: '' });
  });

  it('differ for a repo that does not exist', async () => {
    const { host } = await connect({});
    await expect(host.getRepository(repo)).rejects.toMatchObject({ message: expect.stringContaining('the repo acme') });
    expect(await host.findRepository(repo)).toBeUndefined();
  });

  it('say when the code host rejects the credentials', async () => {
    const { host } = await connect({ [path]: { status: 401, body: { message: 'Bad credentials' } } });
    const error = { reason: 'codehost-access-denied', message: expect.stringContaining('the repo acme/shop') };
    await expect(host.findRepository(repo)).rejects.toMatchObject(error);
    await expect(host.assertMayCreateRepository(repo)).rejects.toMatchObject({ reason: 'codehost-access-denied' });
  });
});

describe('ensureRepository', () => {
  const create = 'POST /orgs/acme/repos';
  const ensured = { defaultBranch: 'trunk', cloneUrl: 'https://codehost.test/acme/shop.git' };

  it('creates a private repo with one commit, unless it exists', async () => {
    const { host, shop } = await openShop();
    const created = await host.ensureRepository('acme/gitops', 'The desired state');
    expect(created).toMatchObject({ defaultBranch: 'main', private: true });
    expect(await host.findRepository('acme/gitops')).toEqual({
      defaultBranch: 'main',
      description: 'The desired state',
    });
    expect(await host.findBranchHead('acme/gitops', 'main')).toMatch(/^[0-9a-f]{40}$/);
    expect(await host.ensureRepository('acme/gitops', 'Again')).toEqual({
      defaultBranch: 'main',
      cloneUrl: `${shop.codehost.url}/acme/gitops.git`,
    });
  });

  it('accepts a repo that another process created in between', async () => {
    const { host, requests } = await connect({ [path]: [missing, found], [create]: { status: 422, body: {} } });
    expect(await host.ensureRepository(repo, 'The shop')).toMatchObject(ensured);
    expect(requests[1]?.body).toEqual({ name: 'shop', description: 'The shop', auto_init: true, private: true });
  });

  it('reports a code host that does not create it', async () => {
    const { host } = await connect({ [path]: [missing, found], [create]: { status: 503, body: {} } });
    await expect(host.ensureRepository(repo, '')).rejects.toMatchObject({
      reason: 'codehost-unreachable',
      message: expect.stringContaining('the new repo acme/shop'),
    });
  });
});

describe('credentials for git', () => {
  const basic = (token: string): string => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

  it('are made of a token each time, and read the URL once', async () => {
    const { host, requests } = await connect({ [path]: found });
    const url = found.body.clone_url;
    expect(await host.getGitRemote(repo)).toEqual({ url, authorization: basic('any-1') });
    expect(await host.getCiGitRemote(repo)).toEqual({ url, authorization: basic('any-2') });
    expect(requests).toHaveLength(1);
  });

  it('have a new token if others clone with them', async () => {
    const { host } = await connect({ [path]: found });
    await host.getGitRemote(repo);
    expect(await host.createCloneCredentials(repo)).toEqual({
      url: found.body.clone_url,
      username: 'x-access-token',
      password: 'new-2',
    });
  });
});

describe('commits', () => {
  it('are read with their parents, and compared', async () => {
    const { shop, host, base } = await openShop();
    const head = await pushBranch(shop.codehost, {
      token: shop.codehost.userToken,
      branch: 'feature',
      files: { 'a.txt': 'a\n' },
    });
    expect(await host.getCommit(repo, head)).toEqual({
      sha: head,
      message: expect.stringContaining('Change a.txt'),
      parents: [base],
    });
    await expect(host.getCommit(repo, 'a'.repeat(40))).rejects.toMatchObject({
      reason: 'not-found',
      message: expect.stringContaining(`the commit ${'a'.repeat(40)} of acme/shop`),
    });
    expect(await host.findBranchHead(repo, 'feature')).toBe(head);
    expect(await host.isAncestor(repo, base, head)).toBe(true);
    expect(await host.isAncestor(repo, head, base)).toBe(false);
    expect(await host.isAncestor(repo, head, head)).toBe(true);
    await expect(host.isAncestor(repo, base, 'none')).rejects.toMatchObject({
      message: expect.stringContaining(`the comparison of ${base} and none in acme/shop`),
    });
  });
});

describe('files', () => {
  it('are read at a commit, and listed below a folder', async () => {
    const { shop, host, base } = await openShop();
    const large = 'a line\n'.repeat(300_000);
    const files = { 'docs/a.md': 'a\n', 'docs/deep/b.md': 'b\n', 'other.md': 'other\n', large, empty: '' };
    const head = await pushBranch(shop.codehost, { token: shop.codehost.userToken, branch: 'feature', files });
    expect((await host.listFiles(repo, 'docs', head)).toSorted()).toEqual(['docs/a.md', 'docs/deep/b.md']);
    expect(await host.listFiles(repo, 'docs', base)).toEqual([]);
    expect(await host.listFiles(repo, 'other.md', head)).toEqual([]);
    expect(await host.readFile(repo, 'docs/a.md', head)).toBe('a\n');
    expect(await host.readFile(repo, 'docs/a.md', base)).toBeUndefined();
    expect(await host.readFile(repo, 'empty', head)).toBe('');
    expect(await host.readFile(repo, 'large', head)).toBe(large.slice(0, 2 ** 20));
    expect(await host.findFileSha(repo, 'docs/a.md', head)).toBe('78981922613b2afb6025042ff6bd878ac1994e85');
    expect(await host.findFileSha(repo, 'docs', head)).toBeUndefined();
    expect(await host.findFileSha(repo, 'docs/a.md', base)).toBeUndefined();
  });

  it('are committed as texts and bytes, and deleted', async () => {
    const { host, base } = await openShop();
    const bytes = new Uint8Array([0, 1, 254, 255]);
    const sha = await host.commitFiles(repo, {
      branch: 'generated',
      base,
      message: 'Generate',
      changes: [
        { path: 'values.yaml', content: 'replicas: 1\n' },
        { path: 'logo.png', content: bytes },
        { path: 'README.md', content: null },
      ],
    });
    expect(await host.findBranchHead(repo, 'generated')).toBe(sha);
    expect(await host.getCommit(repo, sha ?? '')).toEqual({ sha, message: 'Generate', parents: [base] });
    expect((await host.listFiles(repo, '', sha ?? '')).toSorted()).toEqual(['logo.png', 'values.yaml']);
    const blobSha = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    expect(await host.findFileSha(repo, 'logo.png', sha ?? '')).toBe(blobSha);
    expect(await host.readFile(repo, 'values.yaml', sha ?? '')).toBe('replicas: 1\n');
  });

  it('replace the branch by one commit on the base, and leave it alone if nothing changes', async () => {
    const { host, base } = await openShop();
    const commit = async (content: string) =>
      await host.commitFiles(repo, {
        branch: 'generated',
        base,
        message: 'Generate',
        changes: [{ path: 'README.md', content }],
      });
    expect(await commit('shop\n')).toBeUndefined();
    expect(await host.findBranchHead(repo, 'generated')).toBeUndefined();
    const first = await commit('first\n');
    const second = await commit('second\n');
    expect(second).not.toBe(first);
    expect(await host.findBranchHead(repo, 'generated')).toBe(second);
    expect(await host.getCommit(repo, second ?? '')).toMatchObject({ parents: [base] });
    expect(await commit('shop\n')).toBeUndefined();
    expect(await host.findBranchHead(repo, 'generated')).toBe(second);
  });
});
