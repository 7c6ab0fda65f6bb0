import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFolder, pushBranch, withToken } from '../../emulators/codehost/codehost-fixture.ts';
import { runGit } from '../../support/run-git.ts';
import { branchOperations } from '../../../src/integrations/codehost/octokit-branches.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';
import { connectShop } from './shop-codehost.ts';

it('reads whether a branch is the default, is protected, or is the base of open pull requests', async () => {
  const { shop, host, requestAsUser } = await connectShop();
  const { codehost, token } = shop;
  await pushBranch(codehost, { token, branch: 'dev', files: { 'dev.txt': 'dev\n' } });
  await pushBranch(codehost, { token, branch: 'fix', files: { 'fix.txt': 'fix\n' } });
  expect(await host.getBranchFacts('acme/shop', 'main')).toEqual({
    isDefault: true,
    isProtected: false,
    pullRequestsInto: [],
  });
  await requestAsUser('PUT', '/repos/acme/shop/branches/dev/protection', {});
  const pull = { title: 'Fix', head: 'fix', base: 'dev' };
  const { number } = await requestAsUser<{ number: number }>('POST', '/repos/acme/shop/pulls', pull);
  expect(await host.getBranchFacts('acme/shop', 'dev')).toEqual({
    isDefault: false,
    isProtected: true,
    pullRequestsInto: [number],
  });
  await host.closePullRequest('acme/shop', number);
  expect(await host.getBranchFacts('acme/shop', 'dev')).toMatchObject({ pullRequestsInto: [] });
  expect(await host.getBranchFacts('acme/shop', 'none')).toMatchObject({ isDefault: false, isProtected: false });
});

it('meets an emulator that rejects the push of an app to a protected branch', async () => {
  const { shop, requestAsUser } = await connectShop();
  const { codehost, token } = shop;
  await pushBranch(codehost, { token, branch: "it's", files: { 'a.txt': 'a\n' } });
  await requestAsUser('PUT', "/repos/acme/shop/branches/it's/protection", {});
  const folder = join(await createFolder(), 'shop');
  await runGit('.', 'clone', '--quiet', `${withToken(codehost.url, token)}/acme/shop.git`, folder);
  await expect(runGit(folder, 'push', 'origin', "HEAD:refs/heads/it's")).rejects.toThrow('deny updating a hidden ref');
  await runGit(folder, 'push', 'origin', 'HEAD:refs/heads/other');
});

it.each([204, 404, 422])('has deleted a branch when the code host responds with %i', async (status) => {
  const { client, requests } = await startScriptedCodehost({
    'DELETE /repos/acme/shop/git/refs/heads%2Ffix': { status },
  });
  await branchOperations(client).deleteBranch('acme/shop', 'fix');
  expect(requests).toHaveLength(1);
});

it.each([403, 500])('has not deleted a branch when the code host responds with %i', async (status) => {
  const { client } = await startScriptedCodehost({ 'DELETE /repos/acme/shop/git/refs/heads%2Ffix': { status } });
  await expect(branchOperations(client).deleteBranch('acme/shop', 'fix')).rejects.toMatchObject({ status });
});
