import { expect, it } from 'vitest';
import { startShopFixture } from '../codehost-fixture.ts';

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

it("creates, moves and deletes refs, with GitHub's error messages", async () => {
  const { octokit, repo } = await startShopFixture();
  const { data: main } = await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...repo,
    ref: 'heads/main',
  });
  const { sha } = main.object;
  const create = (ref: string, at: string) =>
    octokit.request('POST /repos/{owner}/{repo}/git/refs', { ...repo, ref, sha: at });
  const at = { ...repo, ref: 'heads/feature/x' };

  await create('refs/heads/feature/x', sha);
  const getError = async (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'accepted',
      (error: { status: number; response: { data: { message: string } } }) =>
        `${error.status} ${error.response.data.message}`,
    );
  expect(await getError(create('refs/heads/feature/x', sha))).toBe('422 Reference already exists');
  expect(await getError(create('refs/heads/y', '1'.repeat(40)))).toBe('422 Object does not exist');
  expect(await getError(create('refs/heads/../y', sha))).toContain('422');
  expect(await getError(create('refs/pull/1/head', sha))).toContain('422');
  expect(
    await getError(octokit.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...repo, ref: 'heads/nope', sha })),
  ).toBe('422 Reference does not exist');

  const put = await octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
    ...repo,
    path: 'n.txt',
    branch: 'feature/x',
    message: 'n',
    content: toBase64('n'),
  });
  expect(put.status).toBe(201);
  expect(await getError(octokit.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, sha }))).toBe(
    '422 Update is not a fast forward',
  );
  expect(
    (await octokit.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ...at, sha, force: true })).data.object.sha,
  ).toBe(sha);
  expect((await octokit.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', at)).status).toBe(204);
  expect(await getError(octokit.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', at))).toBe(
    '422 Reference does not exist',
  );
  expect(await getError(octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', at))).toBe('404 Not Found');
});
