import { describe, expect, it } from 'vitest';
import { releaseOperations } from '../../../src/integrations/codehost/octokit-releases.ts';
import { connectShop } from './shop-codehost.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

const repo = 'acme/shop';
const commit = 'a'.repeat(40);
const other = 'b'.repeat(40);
const tagRef = 'GET /repos/acme/shop/git/ref/tags%2Fv1.0.0';
const tagCommit = 'GET /repos/acme/shop/commits/v1.0.0';
const createRef = 'POST /repos/acme/shop/git/refs';
const tagRelease = 'GET /repos/acme/shop/releases/tags/v1.0.0';
const createRelease = 'POST /repos/acme/shop/releases';
const missing = { status: 404, body: { message: 'Not Found' } };
const exists = { status: 422, body: { message: 'Reference already exists' } };

async function connect(routes: Parameters<typeof startScriptedCodehost>[0]) {
  const { client, requests } = await startScriptedCodehost(routes);
  return { host: releaseOperations(client), requests };
}

it('tags a commit and releases the tag, also when both are done again', async () => {
  const { host } = await connectShop();
  const head = (await host.findBranchHead(repo, 'main')) ?? '';
  expect(await host.listVersionTags(repo)).toEqual([]);
  for (const name of ['v1.0.0', 'v1.0.0', 'nightly']) await host.ensureTag(repo, { name, commit: head });
  expect(await host.listVersionTags(repo)).toEqual([{ name: 'v1.0.0', commit: head }]);
  await expect(host.ensureTag(repo, { name: 'v1.0.0', commit: other })).rejects.toMatchObject({
    reason: 'tag-exists',
    message: expect.stringContaining(`exists at ${head}, not at ${other}`),
  });
  expect(await host.findRelease(repo, 'v1.0.0')).toBeUndefined();
  const release = { tag: 'v1.0.0', title: 'Version 1', body: 'The first' };
  const { url } = await host.ensureRelease(repo, release);
  expect(await host.ensureRelease(repo, { ...release, body: 'Again' })).toEqual({ url });
  expect(await host.findRelease(repo, 'v1.0.0')).toEqual({ url, body: 'The first' });
});

describe('ensureTag', () => {
  const found = { body: { ref: 'refs/tags/v1.0.0', object: { sha: commit, type: 'commit' } } };

  it('accepts a tag that another process created at the commit in between', async () => {
    const { host } = await connect({
      [tagRef]: [missing, found],
      [createRef]: exists,
      [tagCommit]: { body: { sha: commit } },
    });
    await host.ensureTag(repo, { name: 'v1.0.0', commit });
  });

  it('rejects a tag that another process created elsewhere in between', async () => {
    const { host } = await connect({
      [tagRef]: [missing, found],
      [createRef]: exists,
      [tagCommit]: { body: { sha: other } },
    });
    await expect(host.ensureTag(repo, { name: 'v1.0.0', commit })).rejects.toMatchObject({ reason: 'tag-exists' });
  });

  it.each([
    ['rejects the commit', exists, { code: 'invalid', message: expect.stringContaining('the tag v1.0.0') }],
    ['fails', { status: 503, body: {} }, { reason: 'codehost-unreachable' }],
  ])('reports a code host that %s', async (_name, reply, error) => {
    const { host, requests } = await connect({ [tagRef]: missing, [createRef]: reply });
    await expect(host.ensureTag(repo, { name: 'v1.0.0', commit })).rejects.toMatchObject(error);
    expect(requests.find(({ route }) => route === createRef)?.body).toEqual({ ref: 'refs/tags/v1.0.0', sha: commit });
  });
});

describe('ensureRelease', () => {
  const release = { tag: 'v1.0.0', title: 'Version 1', body: 'The first' };
  const found = { body: { html_url: 'https://codehost.test/v1', body: null } };

  it('accepts a release that another process created in between', async () => {
    const { host } = await connect({ [tagRelease]: [missing, found], [createRelease]: exists });
    expect(await host.ensureRelease(repo, release)).toEqual({ url: 'https://codehost.test/v1' });
  });

  it.each([
    ['rejects the release', exists, { code: 'invalid', message: expect.stringContaining('the release v1.0.0') }],
    ['fails', { status: 503, body: {} }, { reason: 'codehost-unreachable' }],
  ])('reports a code host that %s', async (_name, reply, error) => {
    const { host, requests } = await connect({ [tagRelease]: missing, [createRelease]: reply });
    await expect(host.ensureRelease(repo, release)).rejects.toMatchObject(error);
    expect(requests.filter(({ route }) => route === tagRelease)).toHaveLength(reply === exists ? 2 : 1);
  });

  it('returns an existing release without a text', async () => {
    const { host } = await connect({ [tagRelease]: found });
    expect(await host.findRelease(repo, 'v1.0.0')).toEqual({ url: 'https://codehost.test/v1', body: '' });
  });
});

it('does not look for the tag again after a failure that is no race', async () => {
  const { host, requests } = await connect({ [tagRef]: missing, [createRef]: { status: 503, body: {} } });
  await expect(host.ensureTag(repo, { name: 'v1.0.0', commit })).rejects.toThrow('cannot be reached');
  expect(requests.filter(({ route }) => route === tagRef)).toHaveLength(1);
});
