import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/local/codehost/database.ts';
import { schema } from '../../../src/local/codehost/schema.ts';
import { aFolder, aShop, pushBranch } from './a-codehost.ts';

it('lists what happened to issues and pull requests, newest first, with who did it', async () => {
  const { codehost, octokit, repo, token } = await aShop();
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
  const told = events.map(({ event, actor, issue: of, ...more }) => {
    const { label } = more as { label?: { name: string } };
    return [event, of?.number, label?.name, actor?.type, of?.pull_request !== undefined];
  });
  expect(told).toEqual([
    ['reopened', 2, undefined, 'Bot', true],
    ['closed', 2, undefined, 'Bot', true],
    ['closed', 1, undefined, 'User', false],
    ['unlabeled', 1, 'bug', 'Bot', false],
    ['labeled', 1, 'late', 'Bot', false],
    ['labeled', 1, 'bug', 'Bot', false],
  ]);
});

it('goes on with the data of the version before it', async () => {
  const path = join(await aFolder(), 'codehost.sqlite');
  const before = new DatabaseSync(path);
  before.exec(`${schema} PRAGMA user_version = 1;`);
  before.exec("INSERT INTO accounts (login, type, createdAt) VALUES ('acme', 'Organization', '2026-01-01')");
  before.close();
  const database = openDatabase(path);
  expect(database.all('SELECT login FROM accounts')).toMatchObject([{ login: 'acme' }]);
  expect(database.all('SELECT * FROM issueEvents')).toEqual([]);
  database.close();
});
