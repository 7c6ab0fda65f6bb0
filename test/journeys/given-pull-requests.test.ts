import { afterAll, beforeAll, expect, it } from 'vitest';
import { finish, turn, write } from '../../src/local/model/example.ts';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import { type RealChanges, keepingBoth, quickSteps, startRealChanges } from '../support/real-changes.ts';
import { describeWithTemporal } from '../support/temporal-client.ts';

/** With a reviewer, who sees what the pull request changes. */
const reviewed: StepSpec[] = [
  ...quickSteps.slice(0, 1),
  { name: 'review-code', type: 'agent', role: 'code-reviewer', mode: 'report', reviews: 'implement' },
  ...quickSteps.slice(1),
];
/** Nothing is added to what people wrote. */
const approveAndMerge = quickSteps.slice(1);
const roles = {
  implementer: [turn('I test it.', write('moon.test.txt', 'tested')), finish('done', 'It has a test.')],
  'code-reviewer': [finish('approved', 'It is right.')],
  'conflict-resolver': keepingBoth,
};

let changes: RealChanges;
beforeAll(async () => {
  changes = await startRealChanges([{ name: 'scripted', matches: () => true, roles }]);
});
afterAll(async () => await changes?.close());

type Pull = { number: number; state: string; merged_at: string | null; draft: boolean; base: { ref: string } };
let products = 0;

/** Somebody's pull request in the repo of a Product of its own. */
async function aPull({ own = quickSteps, base = 'main' }: { own?: StepSpec[]; base?: string } = {}) {
  products += 1;
  const name = `given-${products}`;
  const product = await changes.aProduct(name, { 'greeting.txt': 'Hello, world\n' }, own);
  if (base !== 'main') await product.person.commit(base, { 'old.txt': 'kept\n' });
  await product.person.commit('moon', { 'greeting.txt': 'Hello, moon\n' }, base);
  const words = { title: 'Greet the moon', body: 'Instead of the world', head: 'moon', base, draft: true };
  const { number } = await product.rest<Pull>('POST', '/pulls', words);
  return {
    ...product,
    name,
    number,
    target: { repo: product.repo, number, kind: 'pull-request' as const },
    pulls: async () => await product.rest<Pull[]>('GET', '/pulls?state=all'),
    isMerge: ({ method, path }: { method: string; path: string }) =>
      method === 'PUT' && path.endsWith(`/repos/${product.repo}/pulls/${number}/merge`),
    on: async (branch: string, path: string) => {
      await product.person.fetch();
      return await product.person.git('show', `origin/${branch}:${path}`);
    },
  };
}

const asked = (name: string, role: string): Promise<string> =>
  new Promise((resolve) => {
    const isIt = ({ body }: { body: string }): boolean => {
      const matches = body.includes(`\\"${name}\\"`) && body.includes(`AgentRole \\"${role}\\"`);
      if (matches) resolve(body);
      return matches;
    };
    changes.model.before(isIt, async () => {});
  });

describeWithTemporal('a run that is given a pull request', { concurrent: true, timeout: 240_000 }, () => {
  it('commits to its branch, shows it to reviewers, merges the approved head and leaves the branch', async () => {
    const pull = await aPull({ own: reviewed });
    const questions = Promise.all([asked(pull.name, 'implementer'), asked(pull.name, 'code-reviewer')]);
    const change = await pull.change(pull.target);
    const waiting = await change.waits();
    const [toImplementer, toReviewer] = await questions;
    expect(toImplementer).toContain(`Pull request #${pull.number}`);
    for (const question of [toImplementer, toReviewer])
      for (const text of ['Instead of the world', '+Hello, moon', '<outside-text']) expect(question).toContain(text);
    expect(toReviewer).toContain('+tested');
    expect(waiting.pullRequest?.number).toBe(pull.number);
    await pull.person.fetch();
    expect(await pull.person.git('rev-parse', 'origin/moon')).toBe(waiting.pullRequest?.headSha);
    // Whether it is ready is its author's to say, until a person approves it.
    expect(await pull.pulls()).toMatchObject([{ draft: true }]);

    await change.approve({ headSha: waiting.pullRequest?.headSha ?? '' });
    const status = await change.end();
    expect(status).toMatchObject({ phase: 'Succeeded', issue: { title: 'Greet the moon' } });
    expect(await pull.pulls()).toMatchObject([{ number: pull.number, merged_at: expect.any(String) }]);
    expect(await pull.on('main', 'greeting.txt')).toBe('Hello, moon');
    expect(await pull.on('main', 'moon.test.txt')).toBe('tested');
    expect(await pull.on('moon', 'greeting.txt')).toBe('Hello, moon');
    const message = await pull.person.git('log', '-1', '--format=%B', 'origin/main');
    expect(message).toMatch(/^feat: Greet the moon \(#\d+\)\n/);
    expect(message).not.toContain('Closes');
  });

  it('merges what people wrote without an agent, and settles its conflicts', async () => {
    const pull = await aPull({ own: approveAndMerge });
    await pull.person.commit('main', { 'greeting.txt': 'Hello, sun\n' });
    const change = await pull.change(pull.target);
    const status = await change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.conflictRounds).toBeUndefined();
    expect(await pull.on('main', 'greeting.txt')).toBe('Hello, moon\nHello, sun');
  });

  it('asks again when its author pushes after the approval', async () => {
    const pull = await aPull({ own: approveAndMerge });
    const change = await pull.change(pull.target);
    const { pullRequest } = await change.waits();
    let pushed = '';
    changes.codehost.before(
      pull.isMerge,
      async () => (pushed = await pull.person.commit('moon', { 'more.txt': 'more\n' })),
    );
    await change.approve();
    await change.until((now) => now.pullRequest?.headSha !== pullRequest?.headSha);
    const again = await change.waits();
    expect(again.pullRequest?.headSha).toBe(pushed);
    expect(await change.end()).toMatchObject({ phase: 'Succeeded' });
    expect(await pull.on('main', 'more.txt')).toBe('more');
  });

  it('leaves it open, with its branch, when the run is cancelled', async () => {
    const pull = await aPull();
    const change = await pull.change(pull.target);
    await change.waits();
    await change.cancel();
    expect(await change.end()).toMatchObject({ phase: 'Cancelled' });
    expect(await pull.pulls()).toMatchObject([{ state: 'open' }]);
    expect(await pull.on('moon', 'greeting.txt')).toBe('Hello, moon');
  });

  it('is done anew by a second run, whose work is not taken for the first one’s', async () => {
    const pull = await aPull();
    const first = await pull.change(pull.target);
    await first.waits();
    await first.cancel();
    await first.end();
    await pull.person.commit('moon', { 'moon.test.txt': 'spoilt\n' });
    const second = await pull.change(pull.target);
    await second.waits();
    expect(await pull.on('moon', 'moon.test.txt')).toBe('tested');
    expect(await second.end()).toMatchObject({ phase: 'Succeeded' });
  });

  it('goes into the branch that it is for, and starts no Release where that is not the default one', async () => {
    const pull = await aPull({ base: 'release/1.x' });
    const change = await pull.change(pull.target);
    const status = await change.end();
    expect(status).toMatchObject({ phase: 'Succeeded', mergeCommit: expect.any(String) });
    expect(await pull.on('release/1.x', 'greeting.txt')).toBe('Hello, moon');
    expect(await pull.on('release/1.x', 'old.txt')).toBe('kept');
    expect(await pull.on('main', 'greeting.txt')).toBe('Hello, world');
    expect(changes.releases()).not.toContain(pull.name);
  });

  it('starts the Release of what is merged into the default branch', async ({ expect }) => {
    const pull = await aPull({ own: approveAndMerge });
    const change = await pull.change(pull.target);
    await change.end();
    await expect.poll(changes.releases, { timeout: 60_000 }).toContain(pull.name);
  });

  it('fails with the reason where it is closed already', async () => {
    const pull = await aPull();
    await pull.rest('PATCH', `/pulls/${pull.number}`, { state: 'closed' });
    const change = await pull.change(pull.target);
    expect(await change.end()).toMatchObject({
      phase: 'Failed',
      failure: {
        reason: expect.stringContaining(`Pull request #${pull.number} of ${pull.repo} is closed already.`),
        fix: 'Start a run on an open pull request.',
      },
    });
  });
});
