import { describe, expect, it } from 'vitest';
import { eventOperations } from '../../../src/integrations/codehost/octokit-events.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

const repo = 'acme/shop';
const login = 'delivery[bot]';
const ada = { login: 'ada', type: 'User' };
const bob = { login: 'bob', type: 'User' };
const robot = { login: 'Delivery[bot]', type: 'Bot' };
const since = '2026-05-04T10:00:00Z';
const at = (minute: number): string => `2026-05-04T10:${String(minute).padStart(2, '0')}:00Z`;
const before = '2026-05-04T09:59:59Z';

const issue = (number: number, minute: number, fields: object = {}) => ({
  number,
  labels: [{ name: 'bug' }],
  user: ada,
  created_at: at(minute),
  author_association: 'NONE',
  ...fields,
});
const pull = (number: number, minute: number, fields: object = {}) => ({
  ...issue(number, minute),
  base: { ref: 'main' },
  head: { ref: 'fix', repo: { full_name: 'ada/shop' } },
  ...fields,
});

type Lists = { issues?: object[]; pulls?: object[]; events?: object[]; routes?: Record<string, object> };
const lists = ({ issues = [], pulls = [], events = [], routes = {} }: Lists) => ({
  'GET /repos/acme/shop/issues?state=all&per_page=100': { body: issues },
  'GET /repos/acme/shop/pulls?state=all&per_page=100': { body: pulls },
  'GET /repos/acme/shop/issues/events?per_page=100': { body: events },
  ...routes,
});

async function listEvents(found: Lists) {
  const { client, requests } = await startScriptedCodehost(lists(found));
  return { events: await eventOperations(client, login).listEventsSince(repo, since), requests };
}

describe('listEventsSince', () => {
  it('returns an opened issue', async () => {
    const { events } = await listEvents({ issues: [issue(1, 5)] });
    expect(events).toEqual([
      {
        event: 'issues',
        action: 'opened',
        repo,
        number: 1,
        labels: ['bug'],
        people: ['ada'],
        senderIsBot: false,
        senderIsOwnApp: false,
        authorIsBot: false,
        authorIsMember: false,
        isPullRequest: false,
        openedAt: '2026-05-04T10:05:00.000Z',
        at: '2026-05-04T10:05:00.000Z',
      },
    ]);
  });

  it('returns an opened pull request once, not as an issue', async () => {
    const { events } = await listEvents({ issues: [issue(2, 6, { pull_request: {} })], pulls: [pull(2, 6)] });
    expect(events).toEqual([
      {
        event: 'pull_request',
        action: 'opened',
        repo,
        number: 2,
        labels: ['bug'],
        people: ['ada'],
        baseBranch: 'main',
        headBranch: 'fix',
        authorIsMember: false,
        senderIsOwnApp: false,
        at: '2026-05-04T10:06:00.000Z',
      },
    ]);
  });

  it('returns a label that was added to an issue, with the person who added it and when', async () => {
    const labeled = { event: 'labeled', actor: bob, created_at: at(8), label: { name: 'run' }, issue: issue(1, 5) };
    const { events } = await listEvents({ events: [labeled] });
    expect(events).toMatchObject([
      {
        action: 'labeled',
        label: 'run',
        number: 1,
        people: ['bob', 'ada'],
        openedAt: '2026-05-04T10:05:00.000Z',
        at: '2026-05-04T10:08:00.000Z',
      },
    ]);
  });

  it.each([
    ['another event', { event: 'closed' }],
    ['without a label', { label: undefined }],
    ['of a deleted issue', { issue: null }],
    ['of a pull request', { issue: issue(2, 5, { pull_request: {} }) }],
  ])('ignores an event: %s', async (_name, fields) => {
    const labeled = { event: 'labeled', actor: bob, created_at: at(8), label: { name: 'run' }, issue: issue(1, 5) };
    expect((await listEvents({ events: [{ ...labeled, ...fields }] })).events).toEqual([]);
  });

  it('returns a reopened pull request as sent by the person who reopened it', async () => {
    const reopened = { event: 'reopened', actor: bob, created_at: at(9), issue: issue(2, 1, { pull_request: {} }) };
    const routes = { 'GET /repos/acme/shop/pulls/2': { body: pull(2, 1) } };
    const { events } = await listEvents({ events: [reopened], routes });
    expect(events).toMatchObject([
      { event: 'pull_request', action: 'reopened', number: 2, people: ['bob', 'ada'], at: '2026-05-04T10:09:00.000Z' },
    ]);
    const missing = eventOperations((await startScriptedCodehost(lists({ events: [reopened] }))).client, login);
    await expect(missing.listEventsSince(repo, since)).rejects.toMatchObject({
      message: expect.stringContaining('pull request acme/shop#2'),
    });
  });

  it('ignores reopened issues and closed pull requests', async () => {
    const events = [
      { event: 'reopened', actor: bob, created_at: at(9), issue: issue(1, 1) },
      { event: 'closed', actor: bob, created_at: at(9), issue: issue(2, 1, { pull_request: {} }) },
    ];
    expect((await listEvents({ events })).events).toEqual([]);
  });

  it('knows the application itself, other bots, deleted accounts and members', async () => {
    const { events } = await listEvents({
      issues: [
        issue(5, 5, { user: null, author_association: 'MEMBER', labels: ['old', {}] }),
        issue(4, 4, { user: { login: 'renovate[bot]', type: 'Bot' } }),
        issue(3, 3, { user: robot }),
      ],
      pulls: [
        pull(8, 8, { head: { ref: 'fix', repo: null } }),
        pull(7, 7, { head: { ref: 'fix', repo: { full_name: 'Acme/Shop' } }, user: robot }),
        pull(6, 6, { author_association: 'COLLABORATOR' }),
      ],
    });
    const common = { authorIsMember: false, senderIsOwnApp: false };
    expect(events).toMatchObject([
      { ...common, number: 3, senderIsBot: true, authorIsBot: true, senderIsOwnApp: true, people: [] },
      { ...common, number: 4, senderIsBot: true, authorIsBot: true, people: [] },
      { ...common, number: 5, senderIsBot: false, authorIsMember: true, labels: ['old', ''] },
      { ...common, number: 6, authorIsMember: true },
      { ...common, number: 7, authorIsMember: true, senderIsOwnApp: true },
      { ...common, number: 8 },
    ]);
    expect(events[2]).not.toHaveProperty('people');
  });

  it('returns at most 100 labels of an issue or a pull request', async () => {
    const labels = Array.from({ length: 101 }, (_, index) => ({ name: `label-${index}` }));
    const { events } = await listEvents({ issues: [issue(1, 5, { labels })], pulls: [pull(2, 6, { labels })] });
    expect(events.map((event) => event.labels?.length)).toEqual([100, 100]);
  });

  it('sorts the events by time and omits those before the given time', async () => {
    const { events } = await listEvents({
      issues: [issue(4, 7), issue(3, 0), issue(2, 0, { created_at: before })],
      pulls: [pull(5, 3)],
    });
    expect(events.map(({ number }) => number)).toEqual([3, 5, 4]);
  });

  it('reads further pages until one has an older item', async () => {
    const page = (number: number, fields: object, next: string) => ({ body: [issue(number, 5, fields)], next });
    const { events, requests } = await listEvents({
      routes: {
        'GET /repos/acme/shop/issues?state=all&per_page=100': page(3, {}, '/page2'),
        'GET /page2': page(2, { created_at: before }, '/page3'),
        'GET /page3': page(1, { created_at: before }, '/page4'),
      },
    });
    expect(events.map(({ number }) => number)).toEqual([3]);
    expect(requests.map(({ route }) => route).filter((route) => route.includes('page'))).toContain('GET /page2');
    expect(requests.map(({ route }) => route)).not.toContain('GET /page3');
  });

  it('names the repo that it cannot read', async () => {
    const { client } = await startScriptedCodehost({});
    await expect(eventOperations(client, login).listEventsSince(repo, since)).rejects.toMatchObject({
      reason: 'not-found',
      message: expect.stringContaining('the events of acme/shop'),
    });
  });
});
