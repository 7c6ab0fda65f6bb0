import { describe, expect, it } from 'vitest';
import { issueOperations } from '../../../src/integrations/codehost/octokit-issues.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

const repo = 'acme/shop';
const login = 'delivery[bot]';
const moments = { created_at: '2026-05-04T10:00:00Z', updated_at: '2026-05-04T11:00:00Z' };
const raw = {
  number: 7,
  title: 'Sell tickets',
  body: 'For concerts',
  html_url: 'https://codehost.test/acme/shop/issues/7',
  state: 'open',
  labels: [{ name: 'feature' }],
  user: { login: 'ada', type: 'User' },
  ...moments,
};

async function connect(routes: Parameters<typeof startScriptedCodehost>[0]) {
  const { client, requests } = await startScriptedCodehost(routes);
  return { host: issueOperations(client, login), requests };
}

describe('getIssue', () => {
  const read = async (fields: object) => {
    const { host } = await connect({ 'GET /repos/acme/shop/issues/7': { body: { ...raw, ...fields } } });
    return await host.getIssue(repo, 7);
  };

  it('returns an open issue', async () => {
    expect(await read({})).toEqual({
      number: 7,
      title: 'Sell tickets',
      body: 'For concerts',
      url: 'https://codehost.test/acme/shop/issues/7',
      state: 'open',
      labels: ['feature'],
      author: 'ada',
      authorIsBot: false,
      isPullRequest: false,
      createdAt: '2026-05-04T10:00:00Z',
      updatedAt: '2026-05-04T11:00:00Z',
    });
  });

  it.each([
    ['not_planned', 'not-planned'],
    ['completed', 'completed'],
    [null, 'completed'],
  ])('returns why an issue was closed: %s', async (reason, closeReason) => {
    const closed = { state: 'closed', state_reason: reason, closed_at: '2026-05-04T12:00:00Z' };
    expect(await read(closed)).toMatchObject({ state: 'closed', closeReason, closedAt: '2026-05-04T12:00:00Z' });
  });

  it('reads an issue without a text, of a deleted account, with labels of every form', async () => {
    const issue = await read({ body: null, user: null, closed_at: null, labels: ['old', {}, { name: 'bug' }] });
    expect(issue).toMatchObject({ body: '', author: 'ghost', authorIsBot: false, labels: ['old', '', 'bug'] });
    expect(issue).not.toHaveProperty('closedAt');
    expect(await read({ user: { login: 'renovate[bot]', type: 'Bot' } })).toMatchObject({ authorIsBot: true });
    expect(await read({ pull_request: { url: 'x' } })).toMatchObject({ isPullRequest: true });
  });

  it('names the issue that the repo does not have', async () => {
    const { host } = await connect({});
    await expect(host.getIssue(repo, 8)).rejects.toMatchObject({
      reason: 'not-found',
      message: expect.stringContaining('issue acme/shop#8'),
    });
  });
});

describe('listIssues', () => {
  it('returns the issues of all pages without the pull requests', async () => {
    const { host } = await connect({
      'GET /repos/acme/shop/issues?state=closed&since=2026-05-01T00%3A00%3A00Z&per_page=100': {
        body: [raw, { ...raw, number: 6, pull_request: { url: 'x' } }],
        next: '/more',
      },
      'GET /more': { body: [{ ...raw, number: 5 }] },
    });
    const issues = await host.listIssues(repo, { state: 'closed', since: '2026-05-01T00:00:00Z' });
    expect(issues.map(({ number }) => number)).toEqual([7, 5]);
  });

  it('names the repo that it cannot read', async () => {
    const { host } = await connect({});
    await expect(host.listIssues(repo, { state: 'open' })).rejects.toMatchObject({
      message: expect.stringContaining('the issues of acme/shop'),
    });
  });
});

it('createIssue creates an issue with labels', async () => {
  const { host, requests } = await connect({ 'POST /repos/acme/shop/issues': { status: 201, body: raw } });
  const issue = { title: 'Sell tickets', body: 'For concerts', labels: ['feature'] };
  expect(await host.createIssue(repo, issue)).toMatchObject({ number: 7 });
  expect(requests).toEqual([{ route: 'POST /repos/acme/shop/issues', body: issue }]);
});

describe('upsertComment', () => {
  const since = '2026-05-04T10:00:00Z';
  const comment = { number: 7, marker: '<!-- status -->', body: 'Done <!-- status -->', since };
  const list = 'GET /repos/acme/shop/issues/7/comments?since=2026-05-04T10%3A00%3A00Z&per_page=100';
  const post = 'POST /repos/acme/shop/issues/7/comments';
  const own = { id: 3, body: 'Working <!-- status -->', html_url: 'https://codehost.test/3', user: { login } };

  it('edits the first comment of the application that has the marker', async () => {
    const { host, requests } = await connect({
      [list]: {
        body: [
          { ...own, id: 1, user: { login: 'ada' } },
          { ...own, id: 2, body: 'Another text' },
          { ...own, id: 4, body: undefined },
          { ...own, id: 5, user: null },
          own,
          { ...own, id: 6 },
        ],
      },
      'PATCH /repos/acme/shop/issues/comments/3': { body: { html_url: own.html_url } },
    });
    expect(await host.upsertComment(repo, comment)).toEqual({ url: own.html_url });
    expect(requests.at(-1)?.body).toEqual({ body: comment.body });
  });

  it('leaves a comment alone that already has the text', async () => {
    const { host, requests } = await connect({ [list]: { body: [{ ...own, body: comment.body }] } });
    expect(await host.upsertComment(repo, comment)).toEqual({ url: own.html_url });
    expect(requests).toHaveLength(1);
  });

  it('creates the comment if there is none', async () => {
    const { host, requests } = await connect({
      [list]: { body: [] },
      [post]: { status: 201, body: { html_url: 'https://codehost.test/9' } },
    });
    expect(await host.upsertComment(repo, comment)).toEqual({ url: 'https://codehost.test/9' });
    expect(requests.at(-1)).toEqual({ route: post, body: { body: comment.body } });
  });

  it.each([
    ['to list', { [list]: { status: 503, body: {} } }],
    ['to create', { [list]: { body: [] }, [post]: { status: 503, body: {} } }],
    ['to edit', { [list]: { body: [own] }, 'PATCH /repos/acme/shop/issues/comments/3': { status: 503, body: {} } }],
  ])('reports a code host that fails %s comments', async (_verb, routes) => {
    const { host } = await connect(routes);
    await expect(host.upsertComment(repo, comment)).rejects.toMatchObject({ reason: 'codehost-unreachable' });
  });
});

describe('labels', () => {
  const path = '/repos/acme/shop/issues/7/labels';

  it('are added and removed', async () => {
    const { host, requests } = await connect({
      [`POST ${path}`]: { body: [] },
      [`DELETE ${path}/in%20work`]: { body: [] },
    });
    await host.addLabels(repo, 7, ['in work']);
    await host.removeLabel(repo, 7, 'in work');
    expect(requests).toEqual([
      { route: `POST ${path}`, body: { labels: ['in work'] } },
      { route: `DELETE ${path}/in%20work`, body: undefined },
    ]);
  });

  it('are removed without an error if the issue does not have them', async () => {
    const { host } = await connect({});
    await host.removeLabel(repo, 7, 'none');
    await expect(host.addLabels(repo, 7, ['bug'])).rejects.toMatchObject({
      reason: 'not-found',
      message: expect.stringContaining('labels of acme/shop#7'),
    });
  });

  it('report a code host that fails', async () => {
    const { host } = await connect({ [`DELETE ${path}/bug`]: { status: 503, body: {} } });
    await expect(host.removeLabel(repo, 7, 'bug')).rejects.toMatchObject({ reason: 'codehost-unreachable' });
  });
});
