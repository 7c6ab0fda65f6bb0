import { expect, it } from 'vitest';
import { startShopFixture } from '../codehost-fixture.ts';

it('creates a missing tag with the release, and rejects a second release of it', async () => {
  const { octokit, repo, receiver } = await startShopFixture();
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
  const { data: created } = await release('v1.0.0', main.object.sha);

  expect(
    (await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...repo, ref: 'tags/v1.0.0' })).data.object,
  ).toMatchObject({ sha: main.object.sha, type: 'commit' });
  expect(
    (await octokit.request('GET /repos/{owner}/{repo}/releases/tags/{tag}', { ...repo, tag: 'v1.0.0' })).data,
  ).toMatchObject({ id: created.id, body: 'notes', draft: false });
  await expect(release('v1.0.0', main.object.sha)).rejects.toMatchObject({
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
