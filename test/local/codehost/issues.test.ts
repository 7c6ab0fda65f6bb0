import { expect, it } from 'vitest';
import { aShop } from './a-codehost.ts';

it('tells of a new issue and then of each of its labels', async () => {
  const { octokit, repo, receiver, app } = await aShop();
  const { data: issue } = await octokit.request('POST /repos/{owner}/{repo}/issues', {
    ...repo,
    title: 'Broken',
    body: 'It is',
    labels: ['bug', 'urgent'],
  });

  const [opened] = await receiver.received('issues.opened');
  const labeled = await receiver.received('issues.labeled', 2);
  expect(opened).toMatchObject({
    genuine: true,
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

it('tells of edits, labels, comments and states as the person who made them', async () => {
  const { octokit, repo, receiver, codehost } = await aShop();
  const { data: issue } = await octokit.request('POST /repos/{owner}/{repo}/issues', { ...repo, title: 'Broken' });
  const at = `${codehost.apiUrl}/repos/acme/shop/issues/${issue.number}`;
  const send = async (method: string, path: string, body?: unknown): Promise<number> =>
    (
      await fetch(`${at}${path}`, {
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

it('lists by state and labels, page by page', async () => {
  const { octokit, repo } = await aShop();
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

it('answers with the codes of the real host', async () => {
  const { codehost } = await aShop();
  const ask = async (
    path: string,
    {
      method = 'GET',
      body,
      token = codehost.userToken as string | undefined,
      headers = {} as Record<string, string>,
    } = {} as { method?: string; body?: string; token?: string | undefined; headers?: Record<string, string> },
  ) => {
    const response = await fetch(`${codehost.apiUrl}${path}`, {
      method,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  };
  const issues = '/repos/acme/shop/issues';

  expect(await ask('/nothing/here')).toMatchObject({
    status: 404,
    body: { message: 'Not Found', documentation_url: expect.any(String) },
  });
  expect(await ask('/v3')).toMatchObject({ status: 404 });
  expect(await ask(issues, { method: 'POST', body: '{' })).toMatchObject({
    status: 400,
    body: { message: 'Problems parsing JSON' },
  });
  expect(await ask(issues, { method: 'POST', body: '{}' })).toMatchObject({
    status: 422,
    body: { message: 'Validation Failed', errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }] },
  });
  const anonymous = await fetch(`${codehost.apiUrl}${issues}`, { method: 'POST', body: '{"title":"x"}' });
  expect(anonymous.status).toBe(401);

  const first = await ask('/repos/acme/shop');
  expect(first.headers.get('x-ratelimit-remaining')).toBe('4999');
  expect(first.headers.get('x-github-request-id')).toMatch(/^[0-9A-F]+$/);
  const etag = first.headers.get('etag') ?? '';
  expect(await ask('/repos/acme/shop', { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304 });
});

it('shows an issue as a page with everything escaped, and nothing to a foreign host name', async () => {
  const { codehost, octokit, repo } = await aShop();
  const { data } = await octokit.request('POST /repos/{owner}/{repo}/issues', {
    ...repo,
    title: '<b>Bold</b>',
    body: '<script>alert(1)</script>',
  });
  const page = await (await fetch(data.html_url)).text();
  expect(page).toContain('&lt;b&gt;Bold&lt;/b&gt;');
  expect(page).not.toContain('<script>');
  expect((await fetch(`${codehost.url}/acme/shop`)).status).toBe(200);
  expect((await fetch(`${codehost.url}/acme/nothing`)).status).toBe(404);
});
