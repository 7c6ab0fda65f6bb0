import { stat } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCodehost } from '../../../src/emulators/codehost/start-codehost.ts';
import {
  createFolder,
  createOctokitApp,
  getInstallationOctokit,
  startShopFixture,
  startTestCodehost,
  withToken,
} from './codehost-fixture.ts';
import { runGit } from '../../support/run-git.ts';

it('keeps all data across a restart', async () => {
  const shop = await startShopFixture();
  await shop.octokit.request('POST /repos/{owner}/{repo}/issues', { ...shop.repo, title: 'Kept' });
  await shop.receiver.received('issues.opened');
  await shop.codehost.close();

  const restarted = await startTestCodehost(shop.codehost.dataDir);
  expect(restarted.userToken).toBe(shop.codehost.userToken);
  const octokit = await getInstallationOctokit(createOctokitApp(restarted, shop.app), 'acme');
  expect((await octokit.request('GET /repos/{owner}/{repo}/issues', shop.repo)).data).toMatchObject([
    { title: 'Kept', number: 1 },
  ]);
  const withOldToken = await fetch(`${restarted.apiUrl}/installation/repositories`, {
    headers: { authorization: `token ${shop.token}` },
  });
  expect(withOldToken.status).toBe(200);
  expect((await stat(join(restarted.dataDir, 'token'))).mode & 0o777).toBe(0o600);
});

it('seeds a repository once', async () => {
  const codehost = await startTestCodehost();
  await Promise.all([
    codehost.seedRepository('acme/shop', await createFolder({ a: '1' })),
    codehost.seedRepository('acme/shop', await createFolder({ a: '2' })),
  ]);
  await codehost.seedRepository('acme/shop', await createFolder({ a: '3' }));
  const folder = await createFolder();
  await runGit(folder, 'clone', '--quiet', `${codehost.url}/acme/shop.git`, '.');
  expect(await runGit(folder, 'rev-list', '--count', 'HEAD')).toBe('1');
  expect(await runGit(folder, 'branch', '--show-current')).toBe('main');
  await expect(codehost.seedRepository('../shop', folder)).rejects.toThrow('is not a repository name');
});

it('names the port that is in use', async () => {
  const { url } = await startTestCodehost();
  const port = Number(new URL(url).port);
  await expect(startCodehost({ dataDir: await createFolder(), port })).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is in use`,
  );
});

it('421: a request with a foreign host name', async () => {
  const { url } = await startTestCodehost();
  const status = await new Promise((resolve) =>
    get(`${url}/api/v3/user`, { headers: { host: 'evil.example' } }, (response) =>
      resolve(response.resume().statusCode),
    ),
  );
  expect(status).toBe(421);
});

it('accepts the token of the owner with any user name', async () => {
  const codehost = await startTestCodehost();
  await codehost.seedRepository('acme/shop', await createFolder({ a: 'a' }));
  const folder = await createFolder();
  await runGit(
    folder,
    'clone',
    '--quiet',
    withToken(codehost.url, codehost.userToken).replace('x-access-token', 'any-name') + '/acme/shop.git',
    '.',
  );
  await runGit(folder, 'push', '--quiet', 'origin', 'HEAD:refs/heads/y');
  const response = await fetch(`${codehost.apiUrl}/user`, {
    headers: { authorization: `token ${codehost.userToken}` },
  });
  expect(await response.json()).toMatchObject({ login: 'owner', type: 'User' });
});
