import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { runGit } from '../../support/run-git.ts';
import { createFolder, startShopFixture, startTestCodehost } from './codehost-fixture.ts';

const entry = new URL('../../../src/emulators/codehost/start-codehost.ts', import.meta.url).href;

it('processes a push that a crash interrupted, and removes stale locks', async () => {
  const shop = await startShopFixture();
  const { octokit, repo, codehost } = shop;
  const { data: main } = await octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ...repo,
    ref: 'heads/main',
  });
  await codehost.close();
  const bare = join(codehost.dataDir, 'repos/acme/shop.git');
  const tree = await runGit(bare, 'rev-parse', 'main^{tree}');
  const sha = await runGit(bare, 'commit-tree', tree, '-p', main.object.sha, '-m', 'missed');
  await runGit(bare, 'update-ref', 'refs/heads/missed', sha);
  await writeFile(join(bare, 'refs/heads/stale.lock'), '');

  const restarted = await startTestCodehost(codehost.dataDir);
  const [push] = await shop.receiver.received('push');
  expect(push).toMatchObject({
    hasValidSignature: true,
    payload: { ref: 'refs/heads/missed', after: sha, sender: { login: 'owner' } },
  });
  expect(await readdir(join(bare, 'refs/heads'))).not.toContain('stale.lock');
  expect((await fetch(`${restarted.apiUrl}/repos/acme/shop/branches/missed`)).status).toBe(200);
});

it('completes a merge whose commit is already on the base', async () => {
  const shop = await startShopFixture();
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
  const squash = await runGit(bare, 'commit-tree', 'x^{tree}', '-p', put.data.object.sha, '-m', 'squashed');
  const database = new DatabaseSync(join(codehost.dataDir, 'codehost.sqlite'));
  database.prepare('UPDATE pulls SET pendingMergeSha = ?, pendingMergeById = (SELECT botId FROM apps)').run(squash);
  database.close();
  await runGit(bare, 'update-ref', 'refs/heads/main', squash);

  const restarted = await startTestCodehost(codehost.dataDir);
  const merged = await fetch(`${restarted.apiUrl}/repos/acme/shop/pulls/${pull.number}`);
  expect(await merged.json()).toMatchObject({
    merged: true,
    merge_commit_sha: squash,
    merged_by: { login: 'delivery[bot]' },
  });
  await shop.receiver.received('pull_request.closed');
});

it('sends the deliveries that were pending at shutdown', async () => {
  const shop = await startShopFixture();
  await shop.octokit.request('POST /repos/{owner}/{repo}/issues', { ...shop.repo, title: 't' });
  await shop.receiver.received('issues.opened');
  await shop.codehost.close();
  const database = new DatabaseSync(join(shop.codehost.dataDir, 'codehost.sqlite'));
  database.exec('UPDATE deliveries SET status = NULL');
  database.close();

  await startTestCodehost(shop.codehost.dataDir);
  const [first, second] = await shop.receiver.received('issues.opened', 2);
  expect(second?.guid).toBe(first?.guid);
});

/** Starts a code host in a separate process, so that the test can kill it. */
async function spawnCodehost(
  dataDir: string,
  sourceDir: string,
): Promise<{ child: ChildProcess; apiUrl: string; token: string }> {
  const program = `
    const { startCodehost } = await import(${JSON.stringify(entry)});
    const codehost = await startCodehost({ dataDir: ${JSON.stringify(dataDir)}, port: 0 });
    await codehost.seedRepository('acme/shop', ${JSON.stringify(sourceDir)});
    console.log(JSON.stringify({ apiUrl: codehost.apiUrl, token: codehost.userToken }));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, ...(JSON.parse(line) as { apiUrl: string; token: string }) };
}

it('keeps repositories and pull requests consistent when killed at any moment of a merge', async () => {
  const dataDir = await createFolder();
  const sourceDir = await createFolder({ 'README.md': 'shop\n' });
  const merged: string[] = [];
  // The delays cover the time from before the merge until after its response.
  for (const [round, delayMs] of [0, 10, 20, 35, 50, 80, 120, 'done' as const].entries()) {
    const { child, apiUrl, token } = await spawnCodehost(dataDir, sourceDir);
    const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
      const response = await fetch(`${apiUrl}/repos/acme/shop${path}`, {
        method,
        headers: { authorization: `token ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Record<string, unknown>;
    };
    const { object } = (await send('GET', '/git/ref/heads/main')) as { object: { sha: string } };
    const head = `round-${round}`;
    await send('POST', '/git/refs', { ref: `refs/heads/${head}`, sha: object.sha });
    await send('PUT', `/contents/${head}`, { branch: head, message: head, content: 'eA==' });
    const { number } = await send('POST', '/pulls', { title: head, head, base: 'main' });
    const pull = `/pulls/${String(number)}`;
    await expect.poll(async () => (await send('GET', pull))['mergeable']).toBe(true);
    const response = send('PUT', `${pull}/merge`, { merge_method: 'squash' }).then(
      ({ sha }) => merged.push(String(sha)),
      () => 'interrupted',
    );
    await (delayMs === 'done' ? response : new Promise((done) => setTimeout(done, delayMs)));
    child.kill('SIGKILL');
    await Promise.all([once(child, 'exit'), response]);
  }

  const { url, apiUrl } = await startTestCodehost(dataDir);
  const folder = await createFolder();
  await runGit(folder, 'clone', '--quiet', `${url}/acme/shop.git`, '.');
  const mainShas = (await runGit(folder, 'rev-list', 'HEAD')).split('\n');
  expect(merged).not.toEqual([]);
  expect(merged.filter((sha) => !mainShas.includes(sha))).toEqual([]);
  const pulls = (await (await fetch(`${apiUrl}/repos/acme/shop/pulls?state=all&per_page=100`)).json()) as {
    merged_at: string | null;
    merge_commit_sha: string | null;
  }[];
  const recorded = pulls.filter(({ merged_at }) => merged_at !== null).map(({ merge_commit_sha }) => merge_commit_sha);
  expect(recorded.toSorted()).toEqual(mainShas.slice(0, -1).toSorted());
  await runGit(folder, 'fsck', '--strict');
});
