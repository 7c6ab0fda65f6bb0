import { afterAll, beforeAll, expect, it } from 'vitest';
import { finish, turn, write } from '../../src/emulators/model/scenario.ts';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import { type ChangeHarness, keepBothSides, startChangeHarness } from '../support/changes/change-harness.ts';
import { defaultAgentWorkflows } from '../../src/rules/agents/default-workflows.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';

/** The reviewer reads the changes of the pull request. */
const withReview: StepSpec[] = [
  ...defaultAgentWorkflows['quick-change'].steps.slice(0, 1),
  { name: 'review-code', type: 'agent', role: 'code-reviewer', mode: 'report', reviews: 'implement' },
  ...defaultAgentWorkflows['quick-change'].steps.slice(1),
];
/** No agent changes the pull request. */
const approveAndMerge = defaultAgentWorkflows['quick-change'].steps.slice(1);
const roles = {
  implementer: [turn('I test it.', write('moon.test.txt', 'tested')), finish('done', 'It has a test.')],
  'code-reviewer': [finish('approved', 'It is right.')],
  'conflict-resolver': keepBothSides,
};

let changes: ChangeHarness;
beforeAll(async () => {
  changes = await startChangeHarness([{ name: 'scripted', matches: () => true, roles }]);
});
afterAll(async () => await changes?.close());

type Pull = { number: number; state: string; merged_at: string | null; draft: boolean; base: { ref: string } };
let products = 0;

/** Opens a pull request as a person, in the repo of a new Product. */
async function openPull({
  own = defaultAgentWorkflows['quick-change'].steps,
  base = 'main',
}: { own?: StepSpec[]; base?: string } = {}) {
  products += 1;
  const name = `given-${products}`;
  const product = await changes.aProduct(name, { 'greeting.txt': 'Hello, world\n' }, own);
  if (base !== 'main') await product.person.commit(base, { 'old.txt': 'kept\n' });
  await product.person.commit('moon', { 'greeting.txt': 'Hello, moon\n' }, base);
  const fields = { title: 'Greet the moon', body: 'Instead of the world', head: 'moon', base, draft: true };
  const { number } = await product.rest<Pull>('POST', '/pulls', fields);
  return {
    ...product,
    name,
    number,
    target: { repo: product.repo, number, kind: 'pull-request' as const },
    pulls: async () => await product.rest<Pull[]>('GET', '/pulls?state=all'),
    isMerge: ({ method, path }: { method: string; path: string }) =>
      method === 'PUT' && path.endsWith(`/repos/${product.repo}/pulls/${number}/merge`),
    readFile: async (branch: string, path: string) => {
      await product.person.fetch();
      return await product.person.git('show', `origin/${branch}:${path}`);
    },
  };
}

const waitForModelRequest = (name: string, role: string): Promise<string> =>
  new Promise((resolve) => {
    const isRequest = ({ body }: { body: string }): boolean => {
      const matches = body.includes(`\\"${name}\\"`) && body.includes(`AgentRole \\"${role}\\"`);
      if (matches) resolve(body);
      return matches;
    };
    changes.model.beforeNext(isRequest, async () => {});
  });

describeWithTemporal('a run on a pull request', { concurrent: true, timeout: 240_000 }, () => {
  it('commits to its branch, passes its diff to reviewers, merges the approved head and keeps the branch', async () => {
    const pull = await openPull({ own: withReview });
    const modelRequests = Promise.all([
      waitForModelRequest(pull.name, 'implementer'),
      waitForModelRequest(pull.name, 'code-reviewer'),
    ]);
    const change = await pull.change(pull.target);
    const waiting = await change.waits();
    const [toImplementer, toReviewer] = await modelRequests;
    expect(toImplementer).toContain(`Pull request #${pull.number}`);
    for (const request of [toImplementer, toReviewer])
      for (const text of ['Instead of the world', '+Hello, moon', '<untrusted-content'])
        expect(request).toContain(text);
    expect(toReviewer).toContain('+tested');
    expect(waiting.pullRequest?.number).toBe(pull.number);
    await pull.person.fetch();
    expect(await pull.person.git('rev-parse', 'origin/moon')).toBe(waiting.pullRequest?.headSha);
    // The pull request stays a draft until a person approves it, because its author decides when it is ready.
    expect(await pull.pulls()).toMatchObject([{ draft: true }]);

    await change.approve({ headSha: waiting.pullRequest?.headSha ?? '' });
    const status = await change.end();
    expect(status).toMatchObject({ phase: 'Succeeded', issue: { title: 'Greet the moon' } });
    expect(await pull.pulls()).toMatchObject([{ number: pull.number, merged_at: expect.any(String) }]);
    expect(await pull.readFile('main', 'greeting.txt')).toBe('Hello, moon');
    expect(await pull.readFile('main', 'moon.test.txt')).toBe('tested');
    expect(await pull.readFile('moon', 'greeting.txt')).toBe('Hello, moon');
    const message = await pull.person.git('log', '-1', '--format=%B', 'origin/main');
    expect(message).toMatch(/^feat: Greet the moon \(#\d+\)\n/);
    expect(message).not.toContain('Closes');
  });

  it('merges a pull request without an implementing agent, and resolves its conflicts', async () => {
    const pull = await openPull({ own: approveAndMerge });
    await pull.person.commit('main', { 'greeting.txt': 'Hello, sun\n' });
    const change = await pull.change(pull.target);
    const status = await change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.conflictRounds).toBeUndefined();
    expect(await pull.readFile('main', 'greeting.txt')).toBe('Hello, moon\nHello, sun');
  });

  it('requires a new approval when its author pushes after the approval', async () => {
    const pull = await openPull({ own: approveAndMerge });
    const change = await pull.change(pull.target);
    const { pullRequest } = await change.waits();
    let pushed = '';
    changes.codehost.beforeNext(
      pull.isMerge,
      async () => (pushed = await pull.person.commit('moon', { 'more.txt': 'more\n' })),
    );
    await change.approve();
    await change.until((status) => status.pullRequest?.headSha !== pullRequest?.headSha);
    const second = await change.waits();
    expect(second.pullRequest?.headSha).toBe(pushed);
    expect(await change.end()).toMatchObject({ phase: 'Succeeded' });
    expect(await pull.readFile('main', 'more.txt')).toBe('more');
  });

  it('leaves the pull request open and keeps its branch when the run is cancelled', async () => {
    const pull = await openPull();
    const change = await pull.change(pull.target);
    await change.waits();
    await change.cancel();
    expect(await change.end()).toMatchObject({ phase: 'Cancelled' });
    expect(await pull.pulls()).toMatchObject([{ state: 'open' }]);
    expect(await pull.readFile('moon', 'greeting.txt')).toBe('Hello, moon');
  });

  it('repeats the work in a second run instead of reusing that of the first', async () => {
    const pull = await openPull();
    const first = await pull.change(pull.target);
    await first.waits();
    await first.cancel();
    await first.end();
    await pull.person.commit('moon', { 'moon.test.txt': 'broken\n' });
    const second = await pull.change(pull.target);
    await second.waits();
    expect(await pull.readFile('moon', 'moon.test.txt')).toBe('tested');
    expect(await second.end()).toMatchObject({ phase: 'Succeeded' });
  });

  it('merges into the base of the pull request, and starts no Release for a base other than the default branch', async () => {
    const pull = await openPull({ base: 'release/1.x' });
    const change = await pull.change(pull.target);
    const status = await change.end();
    expect(status).toMatchObject({ phase: 'Succeeded', mergeCommit: expect.any(String) });
    expect(await pull.readFile('release/1.x', 'greeting.txt')).toBe('Hello, moon');
    expect(await pull.readFile('release/1.x', 'old.txt')).toBe('kept');
    expect(await pull.readFile('main', 'greeting.txt')).toBe('Hello, world');
    expect(changes.releases()).not.toContain(pull.name);
  });

  it('starts a Release after a merge into the default branch', async ({ expect }) => {
    const pull = await openPull({ own: approveAndMerge });
    const change = await pull.change(pull.target);
    await change.end();
    await expect.poll(changes.releases, { timeout: 60_000 }).toContain(pull.name);
  });

  it('fails with the reason when the pull request is already closed', async () => {
    const pull = await openPull();
    await pull.rest('PATCH', `/pulls/${pull.number}`, { state: 'closed' });
    const change = await pull.change(pull.target);
    expect(await change.end()).toMatchObject({
      phase: 'Failed',
      failure: {
        message: expect.stringContaining(`Pull request #${pull.number} of ${pull.repo} is already closed.`),
        fix: 'Start a run on an open pull request.',
      },
    });
  });
});
