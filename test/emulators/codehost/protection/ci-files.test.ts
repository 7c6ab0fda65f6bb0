import { expect, it } from 'vitest';
import {
  createFolder,
  pushBranch,
  registerApp,
  getInstallationOctokit,
  startTestCodehost,
} from '../codehost-fixture.ts';

const ciFile = { '.github/workflows/ci.yml': 'on: push\n' };

async function startWith(permissions: Record<string, string>) {
  const codehost = await startTestCodehost();
  await codehost.seedRepository('acme/shop', await createFolder({ 'README.md': 'shop\n' }));
  const { octokitApp } = await registerApp(codehost, {
    permissions: { contents: 'write', pull_requests: 'write', ...permissions },
  });
  const octokit = await getInstallationOctokit(octokitApp, 'acme');
  const { token } = (await octokit.auth({ type: 'installation' })) as { token: string };
  const mergePullRequest = async (branch: string) => {
    const repo = { owner: 'acme', repo: 'shop' };
    const pull = { ...repo, title: 'CI', head: branch, base: 'main' };
    const { number } = (await octokit.request('POST /repos/{owner}/{repo}/pulls', pull)).data;
    return await octokit.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
      ...repo,
      pull_number: number,
    });
  };
  return { codehost, token, mergePullRequest };
}

it('rejects the push and the merge of CI files by an app without the permission', async () => {
  const { codehost, token, mergePullRequest } = await startWith({});
  const push = async (by: string, files: Record<string, string>) =>
    await pushBranch(codehost, { token: by, branch: 'ci', files });
  await expect(push(token, ciFile)).rejects.toThrow('refusing to allow a GitHub App to create or update workflow');
  await push(token, { 'a.txt': 'a\n' });
  await push(codehost.userToken, ciFile);
  await expect(mergePullRequest('ci')).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('`.github/workflows/ci.yml` without `workflows` permission'),
  });
});

it('accepts both from an app with the permission', async () => {
  const { codehost, token, mergePullRequest } = await startWith({ workflows: 'write' });
  await pushBranch(codehost, { token, branch: 'ci', files: ciFile });
  expect((await mergePullRequest('ci')).status).toBe(200);
});
