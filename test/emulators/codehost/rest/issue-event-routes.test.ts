import { expect, it } from 'vitest';
import { pushBranch, startShopFixture } from '../codehost-fixture.ts';

it('lists the events of issues and pull requests with their actor, newest first', async () => {
  const { codehost, octokit, repo, token } = await startShopFixture();
  const { data: issue } = await octokit.request('POST /repos/{owner}/{repo}/issues', {
    ...repo,
    title: 'Broken',
    labels: ['bug'],
  });
  const at = { ...repo, issue_number: issue.number };
  await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', { ...at, labels: ['bug', 'late'] });
  await octokit.request('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', { ...at, name: 'bug' });
  await fetch(`${codehost.apiUrl}/repos/acme/shop/issues/${issue.number}`, {
    method: 'PATCH',
    headers: { authorization: `token ${codehost.userToken}` },
    body: JSON.stringify({ state: 'closed' }),
  });
  await pushBranch(codehost, { token, branch: 'more', files: { 'more.txt': 'more\n' } });
  const { data: pull } = await octokit.request('POST /repos/{owner}/{repo}/pulls', {
    ...repo,
    title: 'More',
    head: 'more',
    base: 'main',
  });
  for (const state of ['closed', 'open'] as const)
    await octokit.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
      ...repo,
      pull_number: pull.number,
      state,
    });

  const { data: events } = await octokit.request('GET /repos/{owner}/{repo}/issues/events', repo);
  const summaries = events.map(({ event, actor, issue: source, ...more }) => {
    const { label } = more as { label?: { name: string } };
    return [event, source?.number, label?.name, actor?.type, source?.pull_request !== undefined];
  });
  expect(summaries).toEqual([
    ['reopened', 2, undefined, 'Bot', true],
    ['closed', 2, undefined, 'Bot', true],
    ['closed', 1, undefined, 'User', false],
    ['unlabeled', 1, 'bug', 'Bot', false],
    ['labeled', 1, 'late', 'Bot', false],
    ['labeled', 1, 'bug', 'Bot', false],
  ]);
});
