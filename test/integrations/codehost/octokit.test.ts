import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { octokitCodehost, type CodehostCredentials } from '../../../src/integrations/codehost/octokit.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const credentials: CodehostCredentials = { appId: '1', privateKey, account: 'acme', version: '1' };
const installation = 'GET /users/acme/installation';
const tokens = 'POST /app/installations/5/access_tokens';
const installed = { body: { id: 5, app_slug: 'delivery' } };
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const token = { status: 201, body: { token: 'token-1', expires_at: inAnHour, permissions: {} } };
const repository = (name: string) => ({
  [`GET /repos/acme/${name}`]: { body: { default_branch: 'main', clone_url: 'x', private: true } },
});

const edit = { branch: 'edit', base: 'main', message: 'Edit', changes: [] };

async function connect(routes: Parameters<typeof startScriptedCodehost>[0], { throttle = false } = {}) {
  const { url, requests } = await startScriptedCodehost({ [tokens]: token, ...routes });
  let found: CodehostCredentials | undefined = credentials;
  const findCredentials = async () => found;
  return {
    codehost: octokitCodehost({ apiUrl: url, findCredentials, throttle }),
    setCredentials: (next: CodehostCredentials | undefined) => void (found = next),
    count: (route: string) => requests.filter((request) => request.route === route).length,
  };
}

describe('forOrg', () => {
  it('names the org that is not connected', async () => {
    const { codehost, setCredentials } = await connect({});
    setCredentials(undefined);
    await expect(codehost.forOrg('acme')).rejects.toMatchObject({
      reason: 'codehost-not-connected',
      message: expect.stringContaining('The org "acme" is not connected'),
    });
  });

  it('reuses a connection until the credentials change', async () => {
    const { codehost, setCredentials, count } = await connect({ [installation]: installed });
    const first = await codehost.forOrg('acme');
    expect(await codehost.forOrg('acme')).toBe(first);
    expect(await codehost.forOrg('other')).not.toBe(first);
    expect(count(installation)).toBe(2);
    setCredentials({ ...credentials, version: '2' });
    expect(await codehost.forOrg('acme')).not.toBe(first);
    expect(count(installation)).toBe(3);
  });

  it('connects again after a connection failed', async () => {
    const missing = { status: 404, body: { message: 'Not Found' } };
    const { codehost } = await connect({ [installation]: [missing, installed] });
    await expect(codehost.forOrg('acme')).rejects.toMatchObject({
      reason: 'not-found',
      message: expect.stringContaining('the application\'s installation on "acme"'),
    });
    expect(await codehost.forOrg('acme')).toHaveProperty('getRepository');
  });
});

describe('the client of a repo', () => {
  it('is reused, also for another spelling, and has a token for that repo only', async () => {
    const { codehost, count } = await connect({
      [installation]: installed,
      ...repository('shop'),
      ...repository('Shop'),
      ...repository('vault'),
    });
    const host = await codehost.forOrg('acme');
    await host.getRepository('acme/shop');
    await host.getRepository('acme/Shop');
    expect(count(tokens)).toBe(1);
    await host.getRepository('acme/vault');
    expect(count(tokens)).toBe(2);
  });

  it('gets its token from the new installation of an application that was removed and installed again', async () => {
    const gone = { status: 404, body: { message: 'Not Found' } };
    const { codehost, count } = await connect({
      [installation]: [installed, { body: { ...installed.body, id: 6 } }],
      [tokens]: gone,
      'POST /app/installations/6/access_tokens': token,
      ...repository('shop'),
      ...repository('vault'),
    });
    const host = await codehost.forOrg('acme');
    expect(await host.getRepository('acme/shop')).toMatchObject({ defaultBranch: 'main' });
    await host.getRepository('acme/vault');
    expect([count(tokens), count(installation)]).toEqual([1, 2]);
  });

  it('says that the application is not installed while it is removed', async () => {
    const gone = { status: 404, body: { message: 'Not Found' } };
    const { codehost } = await connect({ [installation]: [installed, gone], [tokens]: gone });
    const host = await codehost.forOrg('acme');
    await expect(host.getRepository('acme/shop')).rejects.toMatchObject({
      reason: 'not-found',
      message: expect.stringContaining('the application\'s installation on "acme"'),
    });
  });

  it('says that the application was suspended, also to git', async () => {
    const refused = { status: 403, body: { message: 'This installation has been suspended' } };
    const { codehost } = await connect({
      [installation]: installed,
      [tokens]: [token, token, refused],
      ...repository('shop'),
    });
    const host = await codehost.forOrg('acme');
    const suspended = { reason: 'codehost-access-denied', message: expect.stringContaining('has suspended') };
    await host.createCloneCredentials('acme/shop');
    await expect(host.createCloneCredentials('acme/shop')).rejects.toMatchObject(suspended);
    await expect(host.commitFiles('acme/shop', edit)).rejects.toMatchObject(suspended);
  });

  it('writes as the account of the application', async () => {
    const own = {
      id: 1,
      body: 'Done <!-- m -->',
      html_url: 'https://codehost.test/1',
      user: { login: 'delivery[bot]' },
    };
    const { codehost } = await connect({
      [installation]: installed,
      'GET /repos/acme/shop/issues/7/comments?since=2026-05-04T10%3A00%3A00Z&per_page=100': { body: [own] },
    });
    const host = await codehost.forOrg('acme');
    const comment = { number: 7, marker: '<!-- m -->', body: own.body, since: '2026-05-04T10:00:00Z' };
    expect(await host.upsertComment('acme/shop', comment)).toEqual({ url: own.html_url });
  });

  it('does not create an issue again after a response that may have been lost', async () => {
    const route = 'POST /repos/acme/shop/issues';
    const { codehost, count } = await connect({ [installation]: installed, [route]: { status: 502, body: {} } });
    const host = await codehost.forOrg('acme');
    const creation = host.createIssue('acme/shop', { title: 'Greet', body: '', labels: [] });
    await expect(creation).rejects.toMatchObject({ reason: 'codehost-unreachable' });
    expect(count(route)).toBe(1);
  });

  it('repeats a request over the rate limit twice, and then fails', async () => {
    const exceeded = { status: 403, headers: { 'x-ratelimit-remaining': '0' }, body: { message: 'Rate limit' } };
    const route = 'GET /repos/acme/shop';
    const { codehost, count } = await connect({ [installation]: installed, [route]: exceeded }, { throttle: true });
    const host = await codehost.forOrg('acme');
    await expect(host.getRepository('acme/shop')).rejects.toMatchObject({ reason: 'too-many-requests' });
    expect(count(route)).toBe(3);
  });
});
