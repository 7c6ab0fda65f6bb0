import { afterAll, beforeAll, expect, it } from 'vitest';
import { edit, finish, turn } from '../../src/local/model/example.ts';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import type { RunStatus } from '../../src/rules/changes/kinds.ts';
import { type RealChanges, keepingBoth, quickSteps, startRealChanges } from '../support/real-changes.ts';
import type { Passing } from '../support/gate.ts';
import { describeWithTemporal } from '../support/temporal-client.ts';

const withoutResolver = quickSteps.filter(({ when }) => !when);
const roles = {
  implementer: [
    turn('I greet.', edit('greeting.txt', 'Hello, world', 'Hello, moon')),
    finish('done', 'The moon is greeted.'),
  ],
  'conflict-resolver': keepingBoth,
};

let changes: RealChanges;
beforeAll(async () => {
  changes = await startRealChanges([{ name: 'scripted', matches: () => true, roles }]);
});
afterAll(async () => await changes?.close());

let products = 0;

/** A Change of a Product of its own, brought to its approval. */
async function aChange(own?: StepSpec[]) {
  products += 1;
  const name = `moon-${products}`;
  const files = { 'greeting.txt': 'Hello, world\n' };
  const product = await changes.aProduct(name, files, own);
  const change = await product.change();
  await change.waits();
  const [pull] = await product.rest<{ number: number; head: { ref: string } }[]>('GET', '/pulls');
  const { number = 0, head: { ref: branch } = { ref: '' } } = pull ?? {};
  const path = `/repos/${product.repo}/pulls/${number}`;
  let commits = 0;
  const isMerge = (passing: Passing): boolean => passing.method === 'PUT' && passing.path.endsWith(`${path}/merge`);
  /** Somebody's commit on main, on the very line that the Change is about. */
  const conflict = async (): Promise<string> => {
    commits += 1;
    const own = { 'greeting.txt': `Hello, base ${commits}\n`, [`main-${commits}.txt`]: 'kept\n' };
    return await product.person.commit('main', own);
  };
  const conflictAtMerges = (times: number): void => {
    if (times === 0) return;
    changes.codehost.before(isMerge, async () => {
      await conflict();
      conflictAtMerges(times - 1);
    });
  };
  return {
    ...product,
    change,
    number,
    branch,
    isMerge,
    conflict,
    conflictAtMerges,
    isLook: (passing: Passing): boolean => passing.method === 'GET' && passing.path.endsWith(path),
    isResolver: ({ body }: Passing): boolean => body.includes('conflict-resolver') && body.includes(`\\"${name}\\"`),
    /** Somebody's commit elsewhere. */
    elsewhere: async (on = 'main') => {
      commits += 1;
      return await product.person.commit(on, { [`elsewhere-${commits}.txt`]: 'kept\n' });
    },
  };
}
type Moon = Awaited<ReturnType<typeof aChange>>;

/** Nobody's commit is lost: all of main's are there, and what people pushed to the branch is in the merge. */
async function nothingIsLost({ person }: Pick<Moon, 'person'>, { mergeCommit }: RunStatus): Promise<void> {
  await person.fetch();
  const onMain = person.pushed.filter(({ branch }) => branch === 'main').map(({ commit }) => commit);
  expect((await person.git('rev-list', 'origin/main')).split('\n')).toEqual(expect.arrayContaining(onMain));
  const commits = person.pushed.map(({ commit }) => commit);
  const written =
    commits.length > 0 ? await person.git('show', '--format=', '--name-only', '--diff-merges=off', ...commits) : '';
  const there = (await person.git('ls-tree', '--name-only', 'origin/main')).split('\n');
  expect(there).toEqual(expect.arrayContaining(written.split('\n').filter(Boolean)));
  expect(await person.git('rev-parse', 'origin/main')).toBe(mergeCommit ?? onMain.at(-1));
  expect(await greeting({ person })).not.toMatch(/<<<<|>>>>/);
}

const greeting = async ({ person }: Pick<Moon, 'person'>): Promise<string> =>
  await person.git('show', 'origin/main:greeting.txt');

const approvals = async ({ change }: Moon): Promise<string | undefined> =>
  (await change.step('approve-change'))?.decision?.headSha;

describeWithTemporal('a Change and a base that moves', { concurrent: true, timeout: 240_000 }, () => {
  it.each([
    { times: 0, rounds: undefined, hosts: ['Hello, moon'] },
    { times: 1, rounds: 1, hosts: ['Hello, moon', 'Hello, base 1'] },
    { times: 2, rounds: 2, hosts: ['Hello, moon', 'Hello, base 2'] },
    { times: 3, rounds: 3, hosts: ['Hello, moon', 'Hello, base 3'] },
  ])('is merged after conflicting $times times in a row', async ({ times, rounds, hosts }) => {
    const moon = await aChange();
    moon.conflictAtMerges(times);
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.conflictRounds).toBe(rounds);
    await nothingIsLost(moon, status);
    expect(await greeting(moon)).toSatisfy((text: string) => hosts.every((host) => text.includes(host)));
  });

  it('fails at the merge when it conflicts a fourth time in a row, as it would without a resolver', async () => {
    const moon = await aChange();
    moon.conflictAtMerges(4);
    const status = await moon.change.end();
    expect(status).toMatchObject({
      phase: 'Failed',
      conflictRounds: 3,
      failure: {
        reason: expect.stringMatching(/^Pull request #\d+ conflicts with main\.$/),
        resource: expect.stringContaining('step merge'),
      },
    });
    await nothingIsLost(moon, status);
    expect(await greeting(moon)).toBe('Hello, base 4');
  });

  it('fails at the first conflict where there is no resolver, and merges once a person has resolved it', async () => {
    const moon = await aChange(withoutResolver);
    await moon.conflict();
    const failed = await moon.change.end();
    expect(failed).toMatchObject({
      phase: 'Failed',
      failure: { reason: expect.stringContaining('conflicts with main') },
    });
    expect(failed.conflictRounds).toBeUndefined();
    const resolved = await moon.person.mergeMain(moon.branch, { 'greeting.txt': 'Hello, both\n' });
    await moon.change.retry('merge');
    await moon.change.waits();
    expect((await moon.change.status()).pullRequest?.headSha).toBe(resolved);
    const status = await moon.change.end();
    expect(status.phase).toBe('Succeeded');
    await nothingIsLost(moon, status);
    expect(await greeting(moon)).toBe('Hello, both');
  });

  it('keeps the approval where the base moved elsewhere before the merge was tried', async () => {
    const moon = await aChange();
    await moon.change.waits();
    await moon.elsewhere();
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.steps.find(({ name }) => name === 'resolve-conflicts')?.phase).toBe('Skipped');
    await nothingIsLost(moon, status);
  });

  it('resolves what conflicts already when it is approved, without counting a round', async () => {
    const moon = await aChange();
    await moon.conflict();
    const status = await moon.change.end();
    expect(status.phase).toBe('Succeeded');
    expect(status.conflictRounds).toBeUndefined();
    await nothingIsLost(moon, status);
    expect(await greeting(moon)).toContain('Hello, base 1');
  });

  it('tries again where the base moves between the look and the merge, and keeps the approval', async () => {
    const moon = await aChange();
    changes.codehost.before(moon.isMerge, async () => await moon.elsewhere());
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.conflictRounds).toBeUndefined();
    await nothingIsLost(moon, status);
  });

  it('counts a round where the base conflicts anew while the agent resolves', async () => {
    const moon = await aChange();
    await moon.conflict();
    changes.model.before(moon.isResolver, async () => await moon.conflict());
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded', conflictRounds: 1 });
    await nothingIsLost(moon, status);
    expect(await greeting(moon)).toContain('Hello, base 2');
  });

  it('has a person say how to go on where the branch got commits while the agent resolved', async () => {
    const moon = await aChange();
    await moon.conflict();
    changes.model.before(moon.isResolver, async () => await moon.elsewhere(moon.branch));
    const asks = await moon.change.end();
    expect(asks.phase).toBe('NeedsGuidance');
    await moon.change.guide('resolve-conflicts');
    await moon.change.until(({ phase }) => phase !== 'NeedsGuidance');
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    await nothingIsLost(moon, status);
    expect(await greeting(moon)).toContain('Hello, base 1');
  });

  it('asks again where the branch got commits between the approval and the merge', async () => {
    const moon = await aChange();
    let pushed = '';
    changes.codehost.before(moon.isMerge, async () => (pushed = await moon.elsewhere(moon.branch)));
    const before = (await moon.change.status()).pullRequest?.headSha;
    await moon.change.approve();
    await moon.change.until(({ pullRequest }) => pullRequest?.headSha !== before);
    await moon.change.waits();
    expect(await approvals(moon)).toBeUndefined();
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(await approvals(moon)).toBe(pushed);
    await nothingIsLost(moon, status);
  });

  it('asks again where somebody resolved by hand between the approval and the look', async () => {
    const moon = await aChange();
    await moon.conflict();
    let resolved = '';
    // What the resolver finds is no conflict any more, and not what was approved either.
    changes.codehost.after(moon.isLook, async () => {
      changes.codehost.after(moon.isLook, async () => {
        resolved = await moon.person.mergeMain(moon.branch, { 'greeting.txt': 'Hello, by hand\n' });
      });
    });
    await moon.change.approve();
    await moon.change.until(({ pullRequest }) => resolved !== '' && pullRequest?.headSha === resolved);
    await moon.change.waits();
    expect(await approvals(moon)).toBeUndefined();
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    await nothingIsLost(moon, status);
    expect(await greeting(moon)).toBe('Hello, by hand');
  });

  it('keeps the approval where somebody merged the base into the branch, and adds nothing', async () => {
    const moon = await aChange();
    await moon.elsewhere();
    changes.codehost.before(moon.isMerge, async () => await moon.person.mergeMain(moon.branch));
    const before = (await moon.change.status()).pullRequest?.headSha;
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(await approvals(moon)).toBe(before);
    expect(status.pullRequest?.headSha).toBe(moon.person.pushed.at(-1)?.commit);
    await nothingIsLost(moon, status);
  });

  it('sees that it is merged where the answer to the merge was lost', async () => {
    const moon = await aChange();
    changes.codehost.loseAnswer(moon.isMerge);
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.conflictRounds).toBeUndefined();
    await nothingIsLost(moon, status);
  });

  it('ends as done where the base got the same from elsewhere', async () => {
    const moon = await aChange();
    const main = await moon.person.commit('main', { 'greeting.txt': 'Hello, moon\n' });
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.mergeCommit).toBeUndefined();
    expect(status.steps.find(({ name }) => name === 'merge')).toMatchObject({
      phase: 'Skipped',
      verdict: { summary: expect.stringContaining('has all of pull request') },
    });
    await moon.person.fetch();
    expect(await moon.person.git('rev-parse', 'origin/main')).toBe(main);
    expect(await moon.rest<object[]>('GET', '/pulls?state=open')).toEqual([]);
  });
});
