import { expect, it } from 'vitest';
import { pushBranch, startShopFixture } from './codehost-fixture.ts';

it('renders an issue as a page with escaped content', async () => {
  const { codehost, octokit, repo } = await startShopFixture();
  const { data } = await octokit.request('POST /repos/{owner}/{repo}/issues', {
    ...repo,
    title: '<b>Bold</b>',
    body: '<script>alert(1)</script>',
  });
  const page = await (await fetch(data.html_url)).text();
  expect(page).toContain('&lt;b&gt;Bold&lt;/b&gt;');
  expect(page).not.toContain('<script>');
  expect((await fetch(`${codehost.url}/acme/shop`)).status).toBe(200);
  expect((await fetch(`${codehost.url}/acme/unknown`)).status).toBe(404);
});

it('shows what a person needs to approve a pull request: the diff and the reviews', async () => {
  const { codehost, octokit, repo, token } = await startShopFixture({ 'README.md': 'shop\n' });
  await pushBranch(codehost, {
    token,
    branch: 'note',
    files: { 'NOTE.md': '<i>One</i>\n', 'README.md': 'Our shop\n' },
  });
  const { data } = await octokit.request('POST /repos/{owner}/{repo}/pulls', {
    ...repo,
    title: 'Add a note',
    body: 'Why\n<!-- service:run=1 -->',
    head: 'note',
    base: 'main',
  });
  await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...repo,
    issue_number: data.number,
    body: '**review-code**: approved',
  });
  await octokit.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
    ...repo,
    pull_number: data.number,
    event: 'COMMENT',
    body: 'Looks right.',
  });
  const page = await (await fetch(data.html_url)).text();
  for (const text of ['NOTE.md', '+&lt;i&gt;One&lt;/i&gt;', '-shop', '+Our shop', 'review-code', 'Looks right.'])
    expect(page).toContain(text);
  expect(page).not.toContain('service:run');
  expect(await (await fetch(`${data.html_url}/files`)).text()).toContain('+Our shop');
  const diff = await (await fetch(data.diff_url)).text();
  expect(diff).toMatch(/^diff --git a\/NOTE\.md b\/NOTE\.md\n/);
  await octokit.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', { ...repo, pull_number: data.number });
  expect(await (await fetch(data.diff_url)).text()).toBe(diff);
  expect((await fetch(`${codehost.url}/acme/shop/pull/99.diff`)).status).toBe(404);
  expect(await (await fetch(codehost.url)).text()).toContain('href="/acme/shop"');
});
