import { stat, readdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { startCodehost } from '../../../src/local/codehost/start-codehost.ts';
import {
  aCodehost,
  aFolder,
  anApp,
  aReceiver,
  aShop,
  git,
  installationOctokit,
  octokitApp,
  withToken,
} from './a-codehost.ts';

it('keeps everything over a restart', async () => {
  const shop = await aShop();
  await shop.octokit.request('POST /repos/{owner}/{repo}/issues', { ...shop.repo, title: 'Kept' });
  await shop.receiver.received('issues.opened');
  await shop.codehost.close();

  const again = await aCodehost(shop.codehost.dataDir);
  expect(again.userToken).toBe(shop.codehost.userToken);
  const octokit = await installationOctokit(octokitApp(again, shop.app), 'acme');
  expect((await octokit.request('GET /repos/{owner}/{repo}/issues', shop.repo)).data).toMatchObject([
    { title: 'Kept', number: 1 },
  ]);
  const old = await fetch(`${again.apiUrl}/installation/repositories`, {
    headers: { authorization: `token ${shop.token}` },
  });
  expect(old.status).toBe(200);
  expect((await stat(join(again.dataDir, 'token'))).mode & 0o777).toBe(0o600);
});

it('seeds a repository once', async () => {
  const codehost = await aCodehost();
  await Promise.all([
    codehost.seedRepository('acme/shop', await aFolder({ a: '1' })),
    codehost.seedRepository('acme/shop', await aFolder({ a: '2' })),
  ]);
  await codehost.seedRepository('acme/shop', await aFolder({ a: '3' }));
  const folder = await aFolder();
  await git(folder, 'clone', '--quiet', `${codehost.url}/acme/shop.git`, '.');
  expect(await git(folder, 'rev-list', '--count', 'HEAD')).toBe('1');
  expect(await git(folder, 'branch', '--show-current')).toBe('main');
  await expect(codehost.seedRepository('../shop', folder)).rejects.toThrow('not the name of a repository');
});

it('says which port is taken', async () => {
  const { url } = await aCodehost();
  const port = Number(new URL(url).port);
  await expect(startCodehost({ dataDir: await aFolder(), port })).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is in use`,
  );
});

it('lets follow, at the next start, what a push before a sudden end had no time for', async () => {
  const shop = await aShop();
  const { octokit, repo, codehost } = shop;
  const { data: main } = await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...repo,
    ref: 'heads/main',
  });
  await codehost.close();
  const bare = join(codehost.dataDir, 'repos/acme/shop.git');
  const tree = await git(bare, 'rev-parse', 'main^{tree}');
  const sha = await git(bare, 'commit-tree', tree, '-p', main.object.sha, '-m', 'unnoticed');
  await git(bare, 'update-ref', 'refs/heads/unnoticed', sha);
  await writeFile(join(bare, 'refs/heads/stale.lock'), '');

  const again = await aCodehost(codehost.dataDir);
  const [push] = await shop.receiver.received('push');
  expect(push).toMatchObject({
    genuine: true,
    payload: { ref: 'refs/heads/unnoticed', after: sha, sender: { login: 'owner' } },
  });
  expect(await readdir(join(bare, 'refs/heads'))).not.toContain('stale.lock');
  expect((await fetch(`${again.apiUrl}/repos/acme/shop/branches/unnoticed`)).status).toBe(200);
});

it('counts a merge as done when the base holds the commit that was written down before', async () => {
  const shop = await aShop();
  const { octokit, repo, codehost } = shop;
  const put = await octokit.request('POST /repos/{owner}/{repo}/git/refs', {
    ...repo,
    ref: 'refs/heads/x',
    sha: (await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...repo, ref: 'heads/main' })).data.object
      .sha,
  });
  await octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
    ...repo,
    path: 'x',
    branch: 'x',
    message: 'x',
    content: 'eA==',
  });
  const { data: pull } = await octokit.request('POST /repos/{owner}/{repo}/pulls', {
    ...repo,
    title: 't',
    head: 'x',
    base: 'main',
  });
  await codehost.close();
  const bare = join(codehost.dataDir, 'repos/acme/shop.git');
  const squash = await git(bare, 'commit-tree', 'x^{tree}', '-p', put.data.object.sha, '-m', 'squashed');
  const database = new DatabaseSync(join(codehost.dataDir, 'codehost.sqlite'));
  database.prepare('UPDATE pulls SET mergingSha = ?, mergingById = (SELECT botId FROM apps)').run(squash);
  database.close();
  await git(bare, 'update-ref', 'refs/heads/main', squash);

  const again = await aCodehost(codehost.dataDir);
  const merged = await fetch(`${again.apiUrl}/repos/acme/shop/pulls/${pull.number}`);
  expect(await merged.json()).toMatchObject({
    merged: true,
    merge_commit_sha: squash,
    merged_by: { login: 'delivery[bot]' },
  });
  await shop.receiver.received('pull_request.closed');
});

it('421: a request under a foreign host name', async () => {
  const { url } = await aCodehost();
  const status = await new Promise((resolve) =>
    get(`${url}/api/v3/user`, { headers: { host: 'evil.example' } }, (response) =>
      resolve(response.resume().statusCode),
    ),
  );
  expect(status).toBe(421);
});

it('records every delivery, and repeats one under the same guid when asked', async () => {
  const codehost = await aCodehost();
  let status = 500;
  const receiver = await aReceiver(() => status);
  await codehost.seedRepository('acme/shop', await aFolder({ a: 'a' }));
  const { app, octokitApp: installed } = await anApp(codehost, { hookUrl: receiver.url });
  receiver.secret.value = app.webhook_secret;
  const octokit = await installationOctokit(installed, 'acme');
  await octokit.request('POST /repos/{owner}/{repo}/issues', { owner: 'acme', repo: 'shop', title: 't' });
  const [first] = await receiver.received('issues.opened');
  const deliveries = async () => (await installed.octokit.request('GET /app/hook/deliveries', { per_page: 1 })).data;

  await expect
    .poll(deliveries)
    .toMatchObject([{ guid: first?.guid, status_code: 500, event: 'issues', action: 'opened', redelivery: false }]);
  const [failed] = await deliveries();
  status = 202;
  const asked = await installed.octokit.request('POST /app/hook/deliveries/{delivery_id}/attempts', {
    delivery_id: Number(failed?.id),
  });
  expect(asked.status).toBe(202);
  const [, second] = await receiver.received('issues.opened', 2);
  expect(second).toMatchObject({ guid: first?.guid, genuine: true });
  await expect
    .poll(deliveries)
    .toMatchObject([{ guid: first?.guid, status: 'OK', status_code: 202, redelivery: true }]);
  const { headers } = await installed.octokit.request('GET /app/hook/deliveries', { per_page: 1 });
  expect(headers.link).toMatch(/cursor=v1_\d+>; rel="next"/);
  const { data: whole } = await installed.octokit.request('GET /app/hook/deliveries/{delivery_id}', {
    delivery_id: Number(failed?.id),
  });
  expect(whole).toMatchObject({
    url: receiver.url,
    request: { payload: { action: 'opened' } },
    response: { payload: 'taken' },
  });

  await installed.octokit.request('PATCH /app/hook/config', { data: { url: 'http://localhost:9/gone' } });
  await octokit.request('POST /repos/{owner}/{repo}/issues', { owner: 'acme', repo: 'shop', title: 't' });
  await expect.poll(deliveries).toMatchObject([{ status: 'failed to connect to host' }]);
});

it('sends what it could not send before its end', async () => {
  const shop = await aShop();
  await shop.octokit.request('POST /repos/{owner}/{repo}/issues', { ...shop.repo, title: 't' });
  await shop.receiver.received('issues.opened');
  await shop.codehost.close();
  const database = new DatabaseSync(join(shop.codehost.dataDir, 'codehost.sqlite'));
  database.exec('UPDATE deliveries SET status = NULL');
  database.close();

  await aCodehost(shop.codehost.dataDir);
  const [first, second] = await shop.receiver.received('issues.opened', 2);
  expect(second?.guid).toBe(first?.guid);
});

it('takes the owner’s token under any user name', async () => {
  const codehost = await aCodehost();
  await codehost.seedRepository('acme/shop', await aFolder({ a: 'a' }));
  const folder = await aFolder();
  await git(
    folder,
    'clone',
    '--quiet',
    withToken(codehost.url, codehost.userToken).replace('x-access-token', 'anybody') + '/acme/shop.git',
    '.',
  );
  await git(folder, 'push', '--quiet', 'origin', 'HEAD:refs/heads/y');
  const response = await fetch(`${codehost.apiUrl}/user`, {
    headers: { authorization: `token ${codehost.userToken}` },
  });
  expect(await response.json()).toMatchObject({ login: 'owner', type: 'User' });
});
