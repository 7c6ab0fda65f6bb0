import { expect, it } from 'vitest';
import { startShopFixture } from './codehost-fixture.ts';

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
