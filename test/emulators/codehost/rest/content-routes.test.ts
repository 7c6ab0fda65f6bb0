import { expect, it } from 'vitest';
import { startShopFixture } from '../codehost-fixture.ts';

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

it('writes a file only with the sha of its current version', async () => {
  const { octokit, repo } = await startShopFixture({ 'docs/a b.md': 'one\n' });
  const at = { ...repo, path: 'docs/a b.md' };
  const put = (more: { sha?: string }) =>
    octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
      ...at,
      message: 'two',
      content: toBase64('two\n'),
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
  const { data: current } = (await octokit.request('GET /repos/{owner}/{repo}/contents/{path}', at)) as {
    data: { sha: string };
  };
  expect(
    (
      await octokit.request('DELETE /repos/{owner}/{repo}/contents/{path}', {
        ...at,
        message: 'remove',
        sha: current.sha,
      })
    ).status,
  ).toBe(200);
});
