import { afterAll, beforeAll, expect, it } from 'vitest';
import { edit, finish, turn } from '../../src/emulators/model/scenario.ts';
import { type ChangeHarness, startChangeHarness } from '../support/changes/change-harness.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';

const roles = {
  implementer: [
    turn('I greet.', edit('greeting.txt', 'Hello, world', 'Hello, moon')),
    finish('done', 'The moon is greeted.'),
  ],
};

let changes: ChangeHarness;
beforeAll(async () => {
  changes = await startChangeHarness([{ name: 'scripted', matches: () => true, roles }]);
});
afterAll(async () => await changes?.close());

describeWithTemporal('a Change into a protected branch', () => {
  it('waits for checks, a review and an update, says for which, and merges by itself', async () => {
    const { change: startChange, rest, person } = await changes.aProduct('moon', { 'greeting.txt': 'Hello, world\n' });
    await rest('PUT', '/branches/main/protection', {
      required_status_checks: { strict: true, contexts: ['ci'] },
      required_pull_request_reviews: { required_approving_review_count: 1 },
      enforce_admins: true,
      restrictions: null,
    });
    const change = await startChange();
    const waitsFor = async (text: string, role: string) =>
      await change.until(({ steps }) => {
        const { waitingFor } = steps.find(({ name }) => name === 'merge') ?? {};
        return waitingFor?.message?.includes(text) === true && waitingFor.role === role;
      });
    const readPull = async () =>
      (await rest<{ number: number; head: { sha: string } }[]>('GET', '/pulls'))[0] ?? { number: 0, head: { sha: '' } };

    await change.waits();
    await change.approve();
    await waitsFor('The required check "ci" has not started. An approving review', 'member');
    const approved = await readPull();
    await rest('POST', `/pulls/${approved.number}/reviews`, { event: 'APPROVE' });
    await waitsFor('The required check "ci" has not started.', 'codehost');

    const run = { name: 'ci', head_sha: approved.head.sha, conclusion: 'failure' };
    const { id } = await rest<{ id: number }>('POST', '/check-runs', run);
    await waitsFor('The required check "ci" has failed.', 'member');
    // The base moves before the check passes, so the branch is behind then.
    await rest('PUT', '/branches/main/protection', { required_status_checks: { strict: true, contexts: ['ci'] } });
    await person.commit('main', { 'elsewhere.txt': 'kept\n' });
    await rest('PATCH', `/check-runs/${id}`, { conclusion: 'success' });
    await waitsFor('The required check "ci" has not started.', 'codehost');
    const updated = await readPull();
    expect(updated.head.sha).not.toBe(approved.head.sha);
    await rest('POST', `/statuses/${updated.head.sha}`, { state: 'success', context: 'ci' });

    const { mergeCommit, phase } = await change.end();
    expect(phase).toBe('Succeeded');
    expect((await change.step('approve-change'))?.decision?.headSha).toBe(approved.head.sha);
    await person.fetch();
    expect(await person.git('rev-parse', 'origin/main')).toBe(mergeCommit);
    expect(await person.git('show', 'origin/main:greeting.txt')).toBe('Hello, moon');
    expect(await person.git('show', 'origin/main:elsewhere.txt')).toBe('kept');
    expect(changes.releases()).toEqual(['moon']);
  });
});
