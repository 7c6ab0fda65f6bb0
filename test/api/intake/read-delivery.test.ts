import { describe, expect, it } from 'vitest';
import { readDelivery } from '../../../api/intake/read-delivery.ts';

const now = new Date('2026-05-05T12:00:00.000Z');
const issue = { number: 7, labels: [{ name: 'go' }], user: { login: 'ada', type: 'User' } };
const event = {
  action: 'opened',
  issue: { ...issue, created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:01Z' },
  repository: { full_name: 'acme/hello' },
  sender: { login: 'ada', type: 'User' },
};
const pull = {
  action: 'synchronize',
  pull_request: {
    number: 8,
    labels: [],
    base: { ref: 'main' },
    head: { ref: 'fix', repo: { full_name: 'ACME/hello' } },
  },
  repository: { full_name: 'acme/hello' },
  sender: { login: 'ada', type: 'User' },
};
const read = (said: unknown, more: { event?: string; form?: boolean; slug?: string } = {}) => {
  const json = JSON.stringify(said);
  const body = Buffer.from(more.form ? new URLSearchParams({ payload: json }).toString() : json);
  return readDelivery({ event: 'issues', form: false, slug: 'acme-service', now, ...more, body });
};

describe('what a delivery says', () => {
  it('is read the same from JSON and from a form', () => {
    expect(read(event, { form: true })).toEqual(read(event));
    expect(read(event)).toMatchObject({
      facts: { event: 'issues', action: 'opened', repo: 'acme/hello', number: 7, labels: ['go'], senderIsBot: false },
    });
  });

  it('happened when the code host says, or now where it does not', () => {
    expect(read(event)).toMatchObject({
      facts: { at: '2026-01-01T00:00:01.000Z', openedAt: '2026-01-01T00:00:00.000Z' },
    });
    expect(read({ ...event, issue: { ...issue, updated_at: 'yesterday' } })).toMatchObject({
      facts: { at: now.toISOString() },
    });
  });

  it.each([
    ['a person', { login: 'ada', type: 'User' }, 'acme-service', { senderIsBot: false, senderIsOwnApp: false }],
    ['a bot', { login: 'other[bot]', type: 'Bot' }, 'acme-service', { senderIsBot: true, senderIsOwnApp: false }],
    ['our app', { login: 'ACME-service[bot]', type: 'Bot' }, 'acme-service', { senderIsOwnApp: true }],
    ['a bot where we do not know our name', { login: 'x[bot]', type: 'Bot' }, undefined, { senderIsOwnApp: true }],
    ['nobody', null, 'acme-service', { senderIsBot: false, senderIsOwnApp: false }],
  ])('comes from %s', (_, sender, slug, facts) => {
    const body = Buffer.from(JSON.stringify({ ...event, sender }));
    expect(readDelivery({ event: 'issues', form: false, body, now, slug })).toMatchObject({ facts });
  });

  it('is of a pull request, also of one from a fork that is gone', () => {
    const of = (repo: unknown) => ({ ...pull, pull_request: { ...pull.pull_request, head: { ref: 'fix', repo } } });
    for (const one of [pull, of({ full_name: 'eve/hello' }), of(null)])
      expect(read(one, { event: 'pull_request' })).toMatchObject({ facts: { baseBranch: 'main', headBranch: 'fix' } });
  });

  it('stays small enough for a workflow, however much it carries', () => {
    const labels = Array.from({ length: 50_000 }, (_, at) => ({ name: `${at}`.padEnd(2000, 'x') }));
    const found = read({ ...event, issue: { ...issue, labels } });
    expect(JSON.stringify(found).length).toBeLessThan(50_000);
  });

  it.each([
    [{ ...event, action: 'closed' }, '"closed" of "issues" starts nothing'],
    [{ ...event, repository: undefined }, 'the body is not an event of type "issues"'],
    [{ ...event, issue: { ...issue, number: -1 } }, 'the body is not an event of type "issues"'],
    [null, 'the body is not an event of type "issues"'],
    [[], 'the body is not an event of type "issues"'],
  ])('starts nothing, and says why: %j', (said, ignored) => {
    expect(read(said)).toEqual({ ignored });
  });
});
