import { createSign, generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { aCodehost, aFolder, anApp, installationOctokit, octokitApp } from './a-codehost.ts';

it('registers an app by its manifest, installs it on the account, and takes the code only once', async () => {
  const codehost = await aCodehost();
  const { form, back, converted, app, octokitApp: installed } = await anApp(codehost);

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
  const again = await fetch(`${codehost.apiUrl}/app-manifests/${back.searchParams.get('code')}/conversions`, {
    method: 'POST',
  });
  expect(again.status).toBe(404);
});

it('sends nobody off this machine with a code or an event', async () => {
  const { url } = await aCodehost();
  const post = (manifest: Record<string, unknown>): Promise<Response> =>
    fetch(`${url}/settings/apps/new`, {
      method: 'POST',
      body: new URLSearchParams({
        manifest: JSON.stringify({
          name: 'a',
          url: 'http://localhost:1',
          redirect_url: 'http://localhost:1',
          ...manifest,
        }),
      }),
      redirect: 'manual',
    });

  expect((await post({})).status).toBe(302);
  expect((await post({ redirect_url: 'https://evil.example' })).status).toBe(422);
  expect((await post({ redirect_url: 'http://localhost.evil.example' })).status).toBe(422);
  expect((await post({ hook_attributes: { url: 'https://evil.example' } })).status).toBe(422);
});

it('finds the installation by account and repository, and lets its token touch no other account', async () => {
  const codehost = await aCodehost();
  await codehost.seedRepository('acme/shop', await aFolder({ a: 'a' }));
  await codehost.seedRepository('other/shop', await aFolder({ a: 'a' }));
  const { app, octokitApp: installed } = await anApp(codehost);

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

  const octokit = await installationOctokit(installed, 'acme');
  const { data } = await octokit.request('GET /installation/repositories');
  expect(data).toMatchObject({ total_count: 1, repositories: [{ full_name: 'acme/shop' }] });
  await expect(octokit.request('GET /repos/{owner}/{repo}', { owner: 'other', repo: 'shop' })).rejects.toMatchObject({
    status: 404,
  });
});

it('refuses what the app was not granted', async () => {
  const codehost = await aCodehost();
  await codehost.seedRepository('acme/shop', await aFolder({ a: 'a' }));
  const { octokitApp: installed } = await anApp(codehost, { permissions: { issues: 'read' } });
  const octokit = await installationOctokit(installed, 'acme');

  const opening = octokit.request('POST /repos/{owner}/{repo}/issues', { owner: 'acme', repo: 'shop', title: 't' });
  await expect(opening).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('Resource not accessible by integration'),
  });
});

it('401: a JSON web token that is forged, garbled, expired or too long-lived', async () => {
  const codehost = await aCodehost();
  const { app } = await anApp(codehost);
  const { privateKey: foreign } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const now = Math.floor(Date.now() / 1000);
  const messageFor = async (token: string): Promise<string> => {
    const response = await fetch(`${codehost.apiUrl}/app`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(401);
    return ((await response.json()) as { message: string }).message;
  };

  expect(await messageFor(jwt(foreign, { iss: app.id, iat: now, exp: now + 60 }))).toBe(
    'A JSON web token could not be decoded',
  );
  expect(await messageFor('a.b.c')).toBe('A JSON web token could not be decoded');
  expect(await messageFor(jwt(app.pem, { iss: app.id, iat: now - 100, exp: now - 10 }))).toContain(
    "'Expiration time' claim ('exp')",
  );
  expect(await messageFor(jwt(app.pem, { iss: app.id, iat: now, exp: now + 3600 }))).toContain('too far in the future');
  await expect(octokitApp(codehost, { id: app.id, pem: foreign }).octokit.request('GET /app')).rejects.toMatchObject({
    status: 401,
  });
  const { data } = await octokitApp(codehost, { id: app.client_id, pem: app.pem }).octokit.request('GET /app');
  expect(data?.id).toBe(app.id);
});

it('401: a token that nobody gave out', async () => {
  const { apiUrl } = await aCodehost();
  const response = await fetch(`${apiUrl}/installation/repositories`, {
    headers: { authorization: 'token ghs_nobody' },
  });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ message: 'Bad credentials' });
});

it('walks the pages of a list by their links', async () => {
  const codehost = await aCodehost();
  const { octokitApp: installed } = await anApp(codehost);
  const octokit = await installationOctokit(installed, 'acme');
  const names = Array.from({ length: 33 }, (_, index) => `shop-${index}`);
  for (const name of names) await octokit.request('POST /orgs/{org}/repos', { org: 'acme', name });

  const walked: string[] = [];
  await installed.eachRepository(({ repository }) => void walked.push(repository.name));
  expect(walked).toEqual(names);
});

function jwt(key: string, claims: Record<string, unknown>): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
}
