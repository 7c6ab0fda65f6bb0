import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, inject } from 'vitest';
import { pushRepo } from '../support/platform/acme.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { type Attack, testAttacks } from './attacks.ts';
import { plantHooks } from './scenarios.ts';
import { createWorld } from './world.ts';

const run = promisify(execFile);
const facts = inject('redTeam');
const { read, write } = createWorld(facts);
const repo = 'evil/fixes';

async function codehost<T>(method: string, path: string, body?: object): Promise<T> {
  const token = (await readFile(join(facts.dataDir, 'codehost', 'token'), 'utf8')).trim();
  const response = await fetch(`${facts.codehostUrl}/api/v3/repos/${repo}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as T;
}

const getHead = async (branch: string): Promise<string> =>
  (await codehost<{ object: { sha: string } }>('GET', `/git/ref/heads/${branch}`)).object.sha;

async function createBranch(branch: string, sha: string): Promise<void> {
  await codehost('POST', '/git/refs', { ref: `refs/heads/${branch}`, sha });
  const content = Buffer.from(`The branch ${branch}.`).toString('base64');
  await codehost('PUT', `/contents/${branch}.txt`, { message: `Start ${branch}`, content, branch });
}

const openPull = async (head: string, base: string): Promise<number> =>
  (await codehost<{ number: number }>('POST', '/pulls', { title: 'Commit to the head.', body: 'Please.', head, base }))
    .number;

/** Starts an agent on the pull request and waits for its end. Returns whether the head branch moved. */
async function movesHead(head: string, base: string): Promise<boolean> {
  const before = await getHead(head);
  const start = { agentWorkflow: 'fix', product: 'fixes', pullRequest: await openPull(head, base) };
  const runs = '/v1/orgs/evil/agentworkflowruns';
  const { name } = await write<{ name: string }>('POST', runs, 'mallory', start);
  await waitUntil(
    async () => await read<{ status: { phase: string } }>(`${runs}/${name}`),
    ({ status }) => ['Succeeded', 'Failed'].includes(status.phase),
  );
  return (await getHead(head)) !== before;
}

beforeAll(async () => {
  const codehostToken = async () => (await readFile(join(facts.dataDir, 'codehost', 'token'), 'utf8')).trim();
  await pushRepo({ codehostUrl: facts.codehostUrl, codehostToken }, { fullName: repo });
  const spec = { repos: [repo], delivery: { zones: [] } };
  await write('POST', '/v1/orgs/evil/products', 'mallory', { name: 'fixes', spec });
  const role = { responsibilities: ['Fix it.'] };
  await write('POST', '/v1/orgs/evil/agentroles', 'mallory', { name: 'fixer', spec: role });
  const steps = [{ name: 'fix', type: 'agent', role: 'fixer', mode: 'change' }];
  await write('POST', '/v1/orgs/evil/agentworkflows', 'mallory', {
    name: 'fix',
    spec: { enabled: true, triggers: [], steps },
  });
  const main = await getHead('main');
  for (const branch of ['release', 'staging', 'topic', 'feature-one', 'feature-two']) await createBranch(branch, main);
  await codehost('PUT', '/contents/more.txt', { message: 'More', content: 'bW9yZQ==', branch: 'main' });
  await openPull('topic', 'staging');
});

/** A pull request makes an agent push to a guarded branch. The counter-attack is on a branch that nothing guards. */
const guardedHead = (name: string, [head, base]: [string, string], free: string): Attack => ({
  name: `an agent commits to ${name} by way of a pull request`,
  attempt: async () => await movesHead(head, base),
  counter: async () => await movesHead(free, 'main'),
});

/** Commits with plain git in a repo whose hooks are those that the agent planted. */
async function runsHooksInPlainGit(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'hooks-'));
  const marker = join(folder, 'hook-ran');
  try {
    const git = async (...args: string[]) =>
      await run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: folder });
    await git('init', '--quiet');
    await run('/bin/bash', ['-c', plantHooks(marker)], { cwd: folder });
    await writeFile(join(folder, 'file.txt'), 'x');
    await git('add', 'file.txt');
    await git('commit', '--quiet', '-m', 'Commit');
    return existsSync(marker);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

testAttacks('git', [
  guardedHead('the default branch', ['main', 'release'], 'feature-one'),
  guardedHead('the base of another pull request', ['staging', 'main'], 'feature-two'),
  {
    name: 'a hook that an agent planted runs in the git of the service',
    attempt: async ({ dataDir }) => existsSync(join(dataDir, 'hook-ran')),
    counter: runsHooksInPlainGit,
  },
]);
