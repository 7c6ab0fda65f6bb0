import { expect, it } from 'vitest';
import { startShopFixture } from '../codehost-fixture.ts';

it('creates annotated tags and resolves them to their commit', async () => {
  const { octokit, repo } = await startShopFixture();
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
