import { describe, expect, it } from 'vitest';
import { parseDelivery } from '../../../api/intake/parse-delivery.ts';

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
const parse = (payload: unknown, { isForm = false, event: type = 'issues' } = {}) => {
  const json = JSON.stringify(payload);
  const body = Buffer.from(isForm ? new URLSearchParams({ payload: json }).toString() : json);
  return parseDelivery({ event: type, isForm, appSlug: 'acme-service', now, body });
};

describe('parseDelivery', () => {
  it('reads JSON and form bodies alike', () => {
    expect(parse(event, { isForm: true })).toEqual(parse(event));
    expect(parse(event)).toMatchObject({
      facts: { event: 'issues', action: 'opened', repo: 'acme/hello', number: 7, labels: ['go'], senderIsBot: false },
    });
  });

  it.each([
    ['OWNER', true],
    ['MEMBER', true],
    ['COLLABORATOR', true],
    ['CONTRIBUTOR', false],
    ['NONE', false],
    [undefined, false],
    [null, false],
  ])('reads whether the author with the association %s may write to the repo', (association, authorIsMember) => {
    const author_association = association;
    const fork = { ...pull.pull_request.head, repo: { full_name: 'eve/hello' } };
    expect(parse({ ...event, issue: { ...event.issue, author_association } })).toMatchObject({
      facts: { authorIsMember },
    });
    const forked = { ...pull, pull_request: { ...pull.pull_request, head: fork, author_association } };
    expect(parse(forked, { event: 'pull_request' })).toMatchObject({ facts: { authorIsMember } });
    const deleted = {
      ...pull,
      pull_request: { ...pull.pull_request, head: { ref: 'x', repo: null }, author_association },
    };
    expect(parse(deleted, { event: 'pull_request' })).toMatchObject({ facts: { authorIsMember } });
  });

  it('takes the author of a branch of the repo itself as a member', () => {
    expect(parse(pull, { event: 'pull_request' })).toMatchObject({ facts: { authorIsMember: true } });
  });

  it('uses the time of the event, or the current time if it has none', () => {
    expect(parse(event)).toMatchObject({
      facts: { at: '2026-01-01T00:00:01.000Z', openedAt: '2026-01-01T00:00:00.000Z' },
    });
    expect(parse({ ...event, issue: { ...issue, updated_at: 'yesterday' } })).toMatchObject({
      facts: { at: now.toISOString() },
    });
  });

  it.each([
    ['a person', { login: 'ada', type: 'User' }, 'acme-service', { senderIsBot: false, senderIsOwnApp: false }],
    ['a bot', { login: 'other[bot]', type: 'Bot' }, 'acme-service', { senderIsBot: true, senderIsOwnApp: false }],
    ['our app', { login: 'ACME-service[bot]', type: 'Bot' }, 'acme-service', { senderIsOwnApp: true }],
    [
      'a bot while the slug of our app is unknown',
      { login: 'x[bot]', type: 'Bot' },
      undefined,
      { senderIsOwnApp: true },
    ],
    ['no sender', null, 'acme-service', { senderIsBot: false, senderIsOwnApp: false }],
  ])('classifies the sender %s', (_, sender, slug, facts) => {
    const body = Buffer.from(JSON.stringify({ ...event, sender }));
    expect(parseDelivery({ event: 'issues', isForm: false, body, now, appSlug: slug })).toMatchObject({ facts });
  });

  it('reads pull requests, also from a deleted fork', () => {
    const fromRepo = (repo: unknown) => ({
      ...pull,
      pull_request: { ...pull.pull_request, head: { ref: 'fix', repo } },
    });
    for (const payload of [pull, fromRepo({ full_name: 'eve/hello' }), fromRepo(null)])
      expect(parse(payload, { event: 'pull_request' })).toMatchObject({
        facts: { baseBranch: 'main', headBranch: 'fix' },
      });
  });

  it('tells the label that was added, and no other', () => {
    const labeled = { ...event, label: { name: 'go' } };
    expect(parse({ ...labeled, action: 'labeled' })).toMatchObject({ facts: { label: 'go' } });
    expect(parse(labeled)).not.toHaveProperty('facts.label');
  });

  it.each([
    [undefined, false],
    [null, false],
    [{ url: 'https://codehost.example/pulls/7' }, true],
  ])('reads from %j whether an issue is that of a pull request', (pull_request, isPullRequest) => {
    expect(parse({ ...event, issue: { ...event.issue, pull_request } })).toMatchObject({ facts: { isPullRequest } });
  });

  it('tells whether a bot is the author, who is the sender if the issue names none', () => {
    const bot = { login: 'other[bot]', type: 'Bot' };
    const { user: _, ...anonymous } = event.issue;
    const facts = (payload: object) => (parse(payload) as { facts: { authorIsBot: boolean; people?: string[] } }).facts;
    expect(facts({ ...event, issue: { ...event.issue, user: bot } }).authorIsBot).toBe(true);
    expect(facts({ ...event, sender: bot }).authorIsBot).toBe(false);
    expect(facts({ ...event, sender: bot, issue: anonymous }).authorIsBot).toBe(true);
    expect(facts({ ...event, issue: { ...event.issue, user: { login: 'kim', type: 'User' } } }).people).toEqual([
      'ada',
      'kim',
    ]);
  });

  it('names the repo whose issues have changed, also for an event that starts no run', () => {
    const changedRepo = 'acme/hello';
    expect(parse(event)).toMatchObject({ changedRepo });
    expect(parse({ ...event, action: 'closed' })).toMatchObject({ changedRepo, ignored: {} });
    expect(parse(pull, { event: 'pull_request' })).not.toHaveProperty('changedRepo');
    expect(parse({ ...pull, action: 'closed' }, { event: 'pull_request' })).toMatchObject({
      ignored: { message: 'The action "closed" of "pull_request" starts no runs.' },
    });
  });

  it.each([
    ['a person', { login: 'ada', type: 'User' }, true],
    ['another application', { login: 'merge[bot]', type: 'Bot' }, true],
    ['the service', { login: 'acme-service[bot]', type: 'Bot' }, false],
  ])('names a pull request that is closed by %s', (_, sender, isNamed) => {
    const closedPullUrl = 'https://codehost.example/acme/hello/pull/8';
    const closed = {
      ...pull,
      action: 'closed',
      pull_request: { ...pull.pull_request, html_url: closedPullUrl },
      sender,
    };
    const parsed = parse(closed, { event: 'pull_request' });
    expect(parsed).toMatchObject({ ignored: { reason: 'action-ignored' } });
    expect(parsed.closedPullUrl).toBe(isNamed ? closedPullUrl : undefined);
    expect(parse({ ...closed, action: 'labeled' }, { event: 'pull_request' })).not.toHaveProperty('closedPullUrl');
    expect(parse({ ...event, action: 'closed' })).not.toHaveProperty('closedPullUrl');
  });

  it('bounds the size of the facts', () => {
    const labels = Array.from({ length: 50_000 }, (_, at) => ({ name: `${at}`.padEnd(2000, 'x') }));
    const parsed = parse({ ...event, issue: { ...issue, labels } });
    expect(JSON.stringify(parsed).length).toBeLessThan(50_000);
  });

  it.each([
    [{ ...event, action: 'closed' }, 'The action "closed" of "issues" starts no runs.'],
    [{ ...event, repository: undefined }, 'The body is not a valid event of type "issues".'],
    [{ ...event, issue: { ...issue, number: -1 } }, 'The body is not a valid event of type "issues".'],
    [null, 'The body is not a valid event of type "issues".'],
    [[], 'The body is not a valid event of type "issues".'],
  ])('ignores %j with a reason', (payload, message) => {
    expect(parse(payload)).toMatchObject({ ignored: { message } });
  });
});
