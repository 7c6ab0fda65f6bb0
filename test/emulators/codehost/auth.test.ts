import { expect, it } from 'vitest';
import { createFolder, getInstallationOctokit, registerApp, startTestCodehost } from './codehost-fixture.ts';

it('403: a permission that the app does not have', async () => {
  const codehost = await startTestCodehost();
  await codehost.seedRepository('acme/shop', await createFolder({ a: 'a' }));
  const { octokitApp: installed } = await registerApp(codehost, { permissions: { issues: 'read' } });
  const octokit = await getInstallationOctokit(installed, 'acme');

  const opening = octokit.request('POST /repos/{owner}/{repo}/issues', { owner: 'acme', repo: 'shop', title: 't' });
  await expect(opening).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('Resource not accessible by integration'),
  });
});

it('401: an unknown token', async () => {
  const { apiUrl } = await startTestCodehost();
  const response = await fetch(`${apiUrl}/installation/repositories`, {
    headers: { authorization: 'token ghs_unknown' },
  });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ message: 'Bad credentials' });
});
