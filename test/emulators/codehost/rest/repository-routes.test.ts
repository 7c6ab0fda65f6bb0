import { expect, it } from 'vitest';
import { startShopFixture } from '../codehost-fixture.ts';

it('422: a repository name that is taken', async () => {
  const { octokit } = await startShopFixture();
  const create = () =>
    octokit.request('POST /orgs/{org}/repos', { org: 'acme', name: 'gitops', auto_init: true, private: true });
  expect((await create()).data).toMatchObject({ full_name: 'acme/gitops', private: true, default_branch: 'main' });
  await expect(create()).rejects.toMatchObject({
    status: 422,
    response: { data: { errors: [{ message: 'name already exists on this account' }] } },
  });
});
