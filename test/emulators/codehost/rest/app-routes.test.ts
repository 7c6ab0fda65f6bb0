import { expect, it } from 'vitest';
import { createFolder, getInstallationOctokit, registerApp, startTestCodehost } from '../codehost-fixture.ts';

it('registers an app by its manifest, installs it, and accepts the code once', async () => {
  const codehost = await startTestCodehost();
  const { form, back, converted, app, octokitApp: installed } = await registerApp(codehost);

  expect(form.status).toBe(302);
  expect(back.searchParams.get('state')).toBe('s1');
  expect(back.searchParams.get('keep')).toBe('1');
  expect(converted.status).toBe(201);
  expect(app).toMatchObject({
    slug: 'delivery',
    owner: { login: 'acme', type: 'Organization' },
    pem: expect.stringContaining('RSA PRIVATE KEY'),
  });

  const { data } = await installed.octokit.request('GET /app');
  expect(data).toMatchObject({ id: app.id, slug: 'delivery', installations_count: 1 });
  const second = await fetch(`${codehost.apiUrl}/app-manifests/${back.searchParams.get('code')}/conversions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${codehost.userToken}` },
  });
  expect(second.status).toBe(404);
});

it('finds the installation by account and repository, and limits its token to that account', async () => {
  const codehost = await startTestCodehost();
  await codehost.seedRepository('acme/shop', await createFolder({ a: 'a' }));
  await codehost.seedRepository('other/shop', await createFolder({ a: 'a' }));
  const { app, octokitApp: installed } = await registerApp(codehost);

  const { data: byRepo } = await installed.octokit.request('GET /repos/{owner}/{repo}/installation', {
    owner: 'acme',
    repo: 'shop',
  });
  const { data: byUser } = await installed.octokit.request('GET /users/{username}/installation', { username: 'acme' });
  expect(byRepo).toMatchObject({
    id: byUser.id,
    app_id: app.id,
    target_type: 'Organization',
    account: { login: 'acme' },
  });
  await expect(
    installed.octokit.request('GET /repos/{owner}/{repo}/installation', { owner: 'other', repo: 'shop' }),
  ).rejects.toMatchObject({ status: 404 });

  const octokit = await getInstallationOctokit(installed, 'acme');
  const { data } = await octokit.request('GET /installation/repositories');
  expect(data).toMatchObject({ total_count: 1, repositories: [{ full_name: 'acme/shop' }] });
  await expect(octokit.request('GET /repos/{owner}/{repo}', { owner: 'other', repo: 'shop' })).rejects.toMatchObject({
    status: 404,
  });
});

it('paginates lists with Link headers', async () => {
  const codehost = await startTestCodehost();
  const { octokitApp: installed } = await registerApp(codehost);
  const octokit = await getInstallationOctokit(installed, 'acme');
  const names = Array.from({ length: 33 }, (_, index) => `shop-${index}`);
  for (const name of names) await octokit.request('POST /orgs/{org}/repos', { org: 'acme', name });

  const visited: string[] = [];
  await installed.eachRepository(({ repository }) => void visited.push(repository.name));
  expect(visited).toEqual(names);
});

it('401: converts a manifest only for the owner, who may also register an app at the form', async () => {
  const codehost = await startTestCodehost();
  await codehost.seedRepository('acme/shop', await createFolder({ a: 'a' }));
  const manifest = JSON.stringify({
    name: 'evil',
    url: 'http://localhost:1/',
    redirect_url: 'http://localhost:1/back',
  });
  const post = async (url: string, authorization?: string): Promise<Response> =>
    await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      ...(url.endsWith('/new') && { body: new URLSearchParams({ manifest }) }),
      ...(authorization && { headers: { authorization } }),
    });
  const form = `${codehost.url}/organizations/acme/settings/apps/new`;
  // An app gets write access to its account, so the token of another account's app does not suffice either.
  const { octokitApp: installed } = await registerApp(codehost, { org: 'evil' });
  const evil = await getInstallationOctokit(installed, 'evil');
  const { token } = (await evil.auth({ type: 'installation' })) as { token: string };
  const strangers = [undefined, 'Bearer wrong', `Bearer ${token}`, `Basic ${btoa('owner:wrong')}`];
  for (const stranger of strangers) expect((await post(form, stranger)).status).toBe(401);
  expect((await post(form)).headers.get('www-authenticate')).toBe('Basic realm="code host"');

  const owner = `Basic ${btoa(`owner:${codehost.userToken}`)}`;
  const back = new URL((await post(form, owner)).headers.get('location') ?? '');
  const conversion = `${codehost.apiUrl}/app-manifests/${back.searchParams.get('code')}/conversions`;
  for (const stranger of strangers) expect((await post(conversion, stranger)).status).toBe(401);
  expect((await post(conversion, owner)).status).toBe(201);
});
