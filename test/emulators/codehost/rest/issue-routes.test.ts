import { expect, it } from 'vitest';
import { startShopFixture } from '../codehost-fixture.ts';

it('emits one event for a new issue and one for each of its labels', async () => {
  const { octokit, repo, receiver, app } = await startShopFixture();
  const { data: issue } = await octokit.request('POST /repos/{owner}/{repo}/issues', {
    ...repo,
    title: 'Broken',
    body: 'It is',
    labels: ['bug', 'urgent'],
  });

  const [opened] = await receiver.received('issues.opened');
  const labeled = await receiver.received('issues.labeled', 2);
  expect(opened).toMatchObject({
    hasValidSignature: true,
    payload: {
      issue: {
        number: issue.number,
        title: 'Broken',
        body: 'It is',
        labels: [{ name: 'bug' }, { name: 'urgent' }],
        user: { login: 'delivery[bot]', type: 'Bot' },
      },
      repository: { full_name: 'acme/shop', owner: { login: 'acme' } },
      organization: { login: 'acme' },
    },
    headers: {
      'x-github-hook-installation-target-id': String(app.id),
      'x-github-hook-installation-target-type': 'integration',
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
      'content-type': 'application/json',
    },
  });
  expect(labeled.map(({ payload }) => (payload['label'] as { name: string }).name).sort()).toEqual(['bug', 'urgent']);
  expect(new Set([opened, ...labeled].map((hook) => hook?.guid)).size).toBe(3);
});

it('emits events for edits, labels, comments and states with their author', async () => {
  const { octokit, repo, receiver, codehost } = await startShopFixture();
  const { data: issue } = await octokit.request('POST /repos/{owner}/{repo}/issues', { ...repo, title: 'Broken' });
  const issueUrl = `${codehost.apiUrl}/repos/acme/shop/issues/${issue.number}`;
  const send = async (method: string, path: string, body?: unknown): Promise<number> =>
    (
      await fetch(`${issueUrl}${path}`, {
        method,
        headers: { authorization: `token ${codehost.userToken}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    ).status;

  expect(await send('PATCH', '', { title: 'Still broken' })).toBe(200);
  expect(await send('POST', '/labels', { labels: ['bug'] })).toBe(200);
  expect(await send('DELETE', '/labels/bug')).toBe(200);
  expect(await send('DELETE', '/labels/bug')).toBe(404);
  expect(await send('POST', '/comments', { body: 'Why?' })).toBe(201);
  expect(await send('PATCH', '', { state: 'closed' })).toBe(200);
  expect(await send('PATCH', '', { state: 'open' })).toBe(200);

  const [edited] = await receiver.received('issues.edited');
  expect(edited?.payload).toMatchObject({
    changes: { title: { from: 'Broken' } },
    sender: { login: 'owner', type: 'User' },
  });
  for (const name of ['issues.labeled', 'issues.unlabeled', 'issues.closed', 'issues.reopened'])
    await receiver.received(name);
  const [comment] = await receiver.received('issue_comment.created');
  expect(comment?.payload).toMatchObject({
    comment: { body: 'Why?', author_association: 'MEMBER' },
    issue: { number: issue.number },
  });
  const { data: comments } = await octokit.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...repo,
    issue_number: issue.number,
  });
  expect(comments).toMatchObject([{ body: 'Why?', user: { login: 'owner' } }]);
});

it('lists issues by state and labels in pages', async () => {
  const { octokit, repo } = await startShopFixture();
  for (const name of ['one', 'two', 'three'])
    await octokit.request('POST /repos/{owner}/{repo}/issues', {
      ...repo,
      title: name,
      labels: name === 'two' ? [] : ['odd'],
    });
  await octokit.request('PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
    ...repo,
    issue_number: 1,
    state: 'closed',
  });
  const list = async (query: Record<string, string | number>) =>
    octokit.request('GET /repos/{owner}/{repo}/issues', { ...repo, ...query });
  const titles = async (query: Record<string, string | number>): Promise<string[]> =>
    (await list(query)).data.map(({ title }) => title);

  expect(await titles({})).toEqual(['three', 'two']);
  expect(await titles({ state: 'all', labels: 'odd', direction: 'asc' })).toEqual(['one', 'three']);
  expect(await titles({ state: 'closed' })).toEqual(['one']);
  const { headers } = await list({ state: 'all', per_page: 2 });
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.link ?? '') ?? [];
  const second = await octokit.request(`GET ${next}`);
  expect(second.data).toMatchObject([{ title: 'one' }]);
  expect(second.headers.link).toContain('rel="prev"');
  expect(second.headers.link).not.toContain('rel="next"');
});
