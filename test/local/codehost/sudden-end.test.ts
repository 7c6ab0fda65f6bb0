import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { aCodehost, aFolder, git } from './a-codehost.ts';

const entry = pathToFileURL(resolve('src/local/codehost/start-codehost.ts')).href;

/** A code host in a process of its own, so that it can be killed. */
async function aProcess(
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

it('is whole after being killed at any moment of a merge', async () => {
  const dataDir = await aFolder();
  const sourceDir = await aFolder({ 'README.md': 'shop\n' });
  const merged: string[] = [];
  // From before the merge has begun until after it was answered.
  for (const [round, delayMs] of [0, 10, 20, 35, 50, 80, 120, 'answered' as const].entries()) {
    const { child, apiUrl, token } = await aProcess(dataDir, sourceDir);
    const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
      const response = await fetch(`${apiUrl}/repos/acme/shop${path}`, {
        method,
        headers: { authorization: `token ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Record<string, unknown>;
    };
    const { object } = (await call('GET', '/git/ref/heads/main')) as { object: { sha: string } };
    const head = `round-${round}`;
    await call('POST', '/git/refs', { ref: `refs/heads/${head}`, sha: object.sha });
    await call('PUT', `/contents/${head}`, { branch: head, message: head, content: 'eA==' });
    const { number } = await call('POST', '/pulls', { title: head, head, base: 'main' });
    const pull = `/pulls/${String(number)}`;
    await expect.poll(async () => (await call('GET', pull))['mergeable']).toBe(true);
    const merging = call('PUT', `${pull}/merge`, { merge_method: 'squash' }).then(
      ({ sha }) => merged.push(String(sha)),
      () => 'cut off',
    );
    await (delayMs === 'answered' ? merging : new Promise((done) => setTimeout(done, delayMs)));
    child.kill('SIGKILL');
    await Promise.all([once(child, 'exit'), merging]);
  }

  const { url, apiUrl } = await aCodehost(dataDir);
  const folder = await aFolder();
  await git(folder, 'clone', '--quiet', `${url}/acme/shop.git`, '.');
  const onMain = (await git(folder, 'rev-list', 'HEAD')).split('\n');
  expect(merged).not.toEqual([]);
  expect(merged.filter((sha) => !onMain.includes(sha))).toEqual([]);
  const pulls = (await (await fetch(`${apiUrl}/repos/acme/shop/pulls?state=all&per_page=100`)).json()) as {
    merged_at: string | null;
    merge_commit_sha: string | null;
  }[];
  const recorded = pulls.filter(({ merged_at }) => merged_at !== null).map(({ merge_commit_sha }) => merge_commit_sha);
  expect(recorded.toSorted()).toEqual(onMain.slice(0, -1).toSorted());
  await git(folder, 'fsck', '--strict');
});
