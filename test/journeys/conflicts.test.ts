import { afterAll, beforeAll, expect, it } from 'vitest';
import { edit, finish, turn } from '../../src/emulators/model/scenario.ts';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import type { RunStatus } from '../../src/rules/changes/kinds.ts';
import { type ChangeHarness, keepBothSides, startChangeHarness } from '../support/changes/change-harness.ts';
import { defaultAgentWorkflows } from '../../src/rules/agents/default-workflows.ts';
import type { ProxiedRequest } from '../support/servers/intercepting-proxy.ts';
import { sample } from '../support/sample.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';

const withoutResolver = defaultAgentWorkflows['quick-change'].steps.filter(({ when }) => !when);
const roles = {
  implementer: [
    turn('I greet.', edit('greeting.txt', 'Hello, world', 'Hello, moon')),
    finish('done', 'The moon is greeted.'),
  ],
  'conflict-resolver': keepBothSides,
};

let changes: ChangeHarness;
beforeAll(async () => {
  changes = await startChangeHarness([{ name: 'scripted', matches: () => true, roles }]);
});
afterAll(async () => await changes?.close());

let products = 0;

/** Starts a Change of a new Product and waits until it needs approval. */
async function startChange(own?: StepSpec[]) {
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
  const isMerge = (request: ProxiedRequest): boolean =>
    request.method === 'PUT' && request.path.endsWith(`${path}/merge`);
  /** Commits a change of the same line to main, as another person. */
  const conflict = async (): Promise<string> => {
    commits += 1;
    const changedFiles = { 'greeting.txt': `Hello, base ${commits}\n`, [`main-${commits}.txt`]: 'kept\n' };
    return await product.person.commit('main', changedFiles);
  };
  const conflictAtMerges = (times: number): void => {
    if (times === 0) return;
    changes.codehost.beforeNext(isMerge, async () => {
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
    isPullRequestRead: (request: ProxiedRequest): boolean => request.method === 'GET' && request.path.endsWith(path),
    isResolver: ({ body }: ProxiedRequest): boolean =>
      body.includes('conflict-resolver') && body.includes(`\\"${name}\\"`),
    /** Commits another file, as another person. */
    commitElsewhere: async (on = 'main') => {
      commits += 1;
      return await product.person.commit(on, { [`elsewhere-${commits}.txt`]: 'kept\n' });
    },
  };
}
type Moon = Awaited<ReturnType<typeof startChange>>;

/** Checks that main contains every commit to it, and every file that was pushed to the branch. */
async function assertNothingIsLost({ person }: Pick<Moon, 'person'>, { mergeCommit }: RunStatus): Promise<void> {
  await person.fetch();
  const mainCommits = person.pushed.filter(({ branch }) => branch === 'main').map(({ commit }) => commit);
  expect((await person.git('rev-list', 'origin/main')).split('\n')).toEqual(expect.arrayContaining(mainCommits));
  const commits = person.pushed.map(({ commit }) => commit);
  const pushedFiles =
    commits.length > 0 ? await person.git('show', '--format=', '--name-only', '--diff-merges=off', ...commits) : '';
  const mainFiles = (await person.git('ls-tree', '--name-only', 'origin/main')).split('\n');
  expect(mainFiles).toEqual(expect.arrayContaining(pushedFiles.split('\n').filter(Boolean)));
  expect(await person.git('rev-parse', 'origin/main')).toBe(mergeCommit ?? mainCommits.at(-1));
  expect(await readGreeting({ person })).not.toMatch(/<<<<|>>>>/);
}

const readGreeting = async ({ person }: Pick<Moon, 'person'>): Promise<string> =>
  await person.git('show', 'origin/main:greeting.txt');

const approvedHeadSha = async ({ change }: Moon): Promise<string | undefined> =>
  (await change.step('approve-change'))?.decision?.headSha;

describeWithTemporal('a Change with a moving base', { concurrent: true, timeout: 480_000 }, () => {
  const series: { times: number; rounds: number | undefined; hosts: string[] }[] = [
    { times: 0, rounds: undefined, hosts: ['Hello, moon'] },
    { times: 1, rounds: 1, hosts: ['Hello, moon', 'Hello, base 1'] },
    { times: 2, rounds: 2, hosts: ['Hello, moon', 'Hello, base 2'] },
    { times: 3, rounds: 3, hosts: ['Hello, moon', 'Hello, base 3'] },
  ];
  it.each(sample(series, 2))('is merged after $times consecutive conflicts', async ({ times, rounds, hosts }) => {
    const moon = await startChange();
    moon.conflictAtMerges(times);
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.conflictRounds).toBe(rounds);
    // Each conflict takes the approval back; every one stays, with the commit that it was for.
    expect(status.decisions).toHaveLength(times + 1);
    expect(new Set(status.decisions?.map(({ outcome, headSha }) => `${outcome} ${headSha}`)).size).toBe(times + 1);
    const approvals = status.steps.find(({ name }) => name === 'approve-change')?.rounds;
    expect(approvals?.map(({ outcome }) => outcome)).toEqual(Array(times + 1).fill('approved'));
    await assertNothingIsLost(moon, status);
    expect(await readGreeting(moon)).toSatisfy((text: string) => hosts.every((host) => text.includes(host)));
  });

  it('fails the merge at the fourth consecutive conflict', async () => {
    const moon = await startChange();
    moon.conflictAtMerges(4);
    const status = await moon.change.end();
    expect(status).toMatchObject({
      phase: 'Failed',
      conflictRounds: 3,
      failure: {
        message: expect.stringMatching(/^Pull request #\d+ conflicts with main\.$/),
        resource: expect.stringContaining('step merge'),
      },
    });
    await assertNothingIsLost(moon, status);
    expect(await readGreeting(moon)).toBe('Hello, base 4');
  });

  it('fails at the first conflict without a resolver, and merges after a person has resolved it', async () => {
    const moon = await startChange(withoutResolver);
    await moon.conflict();
    const failed = await moon.change.end();
    expect(failed).toMatchObject({
      phase: 'Failed',
      failure: { message: expect.stringContaining('conflicts with main') },
    });
    expect(failed.conflictRounds).toBeUndefined();
    const resolved = await moon.person.mergeMain(moon.branch, { 'greeting.txt': 'Hello, both\n' });
    await moon.change.retry('merge');
    await moon.change.waits();
    expect((await moon.change.status()).pullRequest?.headSha).toBe(resolved);
    const status = await moon.change.end();
    expect(status.phase).toBe('Succeeded');
    await assertNothingIsLost(moon, status);
    expect(await readGreeting(moon)).toBe('Hello, both');
  });

  it('keeps the approval when the base moved without a conflict before the merge', async () => {
    const moon = await startChange();
    await moon.change.waits();
    await moon.commitElsewhere();
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.steps.find(({ name }) => name === 'resolve-conflicts')?.phase).toBe('Skipped');
    await assertNothingIsLost(moon, status);
  });

  it('resolves a conflict that exists before the approval without counting a round', async () => {
    const moon = await startChange();
    await moon.conflict();
    const status = await moon.change.end();
    expect(status.phase).toBe('Succeeded');
    expect(status.conflictRounds).toBeUndefined();
    await assertNothingIsLost(moon, status);
    expect(await readGreeting(moon)).toContain('Hello, base 1');
  });

  it('retries when the base moves during the merge, and keeps the approval', async () => {
    const moon = await startChange();
    changes.codehost.beforeNext(moon.isMerge, async () => await moon.commitElsewhere());
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.conflictRounds).toBeUndefined();
    await assertNothingIsLost(moon, status);
  });

  it('counts a round when the base conflicts again while the agent resolves', async () => {
    const moon = await startChange();
    await moon.conflict();
    changes.model.beforeNext(moon.isResolver, async () => await moon.conflict());
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded', conflictRounds: 1 });
    await assertNothingIsLost(moon, status);
    expect(await readGreeting(moon)).toContain('Hello, base 2');
  });

  it('requests guidance when the branch gets commits while the agent resolves', async () => {
    const moon = await startChange();
    await moon.conflict();
    changes.model.beforeNext(moon.isResolver, async () => await moon.commitElsewhere(moon.branch));
    const paused = await moon.change.end();
    expect(paused.phase).toBe('NeedsGuidance');
    await moon.change.guide('resolve-conflicts');
    await moon.change.until(({ phase }) => phase !== 'NeedsGuidance');
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    await assertNothingIsLost(moon, status);
    expect(await readGreeting(moon)).toContain('Hello, base 1');
  });

  it('requires a new approval when the branch gets commits between the approval and the merge', async () => {
    const moon = await startChange();
    let pushed = '';
    changes.codehost.beforeNext(moon.isMerge, async () => (pushed = await moon.commitElsewhere(moon.branch)));
    const before = (await moon.change.status()).pullRequest?.headSha;
    await moon.change.approve();
    await moon.change.until(({ pullRequest }) => pullRequest?.headSha !== before);
    await moon.change.waits();
    expect(await approvedHeadSha(moon)).toBeUndefined();
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(await approvedHeadSha(moon)).toBe(pushed);
    await assertNothingIsLost(moon, status);
  });

  it('requires a new approval when a person resolves the conflict after the approval', async () => {
    const moon = await startChange();
    await moon.conflict();
    let resolved = '';
    // The resolver then finds neither a conflict nor the approved commit.
    changes.codehost.afterNext(moon.isPullRequestRead, async () => {
      changes.codehost.afterNext(moon.isPullRequestRead, async () => {
        resolved = await moon.person.mergeMain(moon.branch, { 'greeting.txt': 'Hello, manually\n' });
      });
    });
    await moon.change.approve();
    await moon.change.until(({ pullRequest }) => resolved !== '' && pullRequest?.headSha === resolved);
    await moon.change.waits();
    expect(await approvedHeadSha(moon)).toBeUndefined();
    const status = await moon.change.end();
    expect(status).toMatchObject({ phase: 'Succeeded' });
    await assertNothingIsLost(moon, status);
    expect(await readGreeting(moon)).toBe('Hello, manually');
  });

  it('keeps the approval when a person only merges the base into the branch', async () => {
    const moon = await startChange();
    await moon.commitElsewhere();
    changes.codehost.beforeNext(moon.isMerge, async () => await moon.person.mergeMain(moon.branch));
    const before = (await moon.change.status()).pullRequest?.headSha;
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(await approvedHeadSha(moon)).toBe(before);
    expect(status.pullRequest?.headSha).toBe(moon.person.pushed.at(-1)?.commit);
    await assertNothingIsLost(moon, status);
  });

  it('detects the merge when the response to it was lost', async () => {
    const moon = await startChange();
    changes.codehost.dropNextResponse(moon.isMerge);
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.conflictRounds).toBeUndefined();
    await assertNothingIsLost(moon, status);
  });

  it('skips the merge when the base already contains the change', async () => {
    const moon = await startChange();
    const main = await moon.person.commit('main', { 'greeting.txt': 'Hello, moon\n' });
    const status = await moon.change.end(1);
    expect(status).toMatchObject({ phase: 'Succeeded' });
    expect(status.mergeCommit).toBeUndefined();
    expect(status.steps.find(({ name }) => name === 'merge')).toMatchObject({
      phase: 'Skipped',
      verdict: { summary: expect.stringContaining('already contains all changes of pull request') },
    });
    await moon.person.fetch();
    expect(await moon.person.git('rev-parse', 'origin/main')).toBe(main);
    expect(await moon.rest<object[]>('GET', '/pulls?state=open')).toEqual([]);
  });
});
