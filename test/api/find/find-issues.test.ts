import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { createOrg, startApi } from '../../support/start-api.ts';

const namespace = 'org-acme';
type Found = { kind: string; name: string; title: string; path: string };

/** The Product "shop" of the org "acme", whose repo is at the code host emulator. */
async function startWithRepo() {
  const { codehost, app } = await startShopFixture();
  const send = async (method: string, path: string, body: object) => {
    const response = await fetch(`${codehost.apiUrl}/repos/acme/shop/${path}`, {
      method,
      headers: { authorization: `token ${codehost.userToken}` },
      body: JSON.stringify(body),
    });
    expect(response.ok).toBe(true);
    return (await response.json()) as { number: number; html_url: string };
  };
  const api = await startApi({ role: 'platform-admin', codehostApiUrl: codehost.apiUrl });
  const keys = { 'app-id': String(app.id), 'private-key': app.pem, 'webhook-secret': 'secret' };
  const data = Object.entries(keys).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  await api.store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    data: Object.fromEntries(data) as Record<string, string>,
  });
  await api.store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: ['acme/shop'], delivery: { zones: [] } },
  });
  const find = async (q: string, more = ''): Promise<Found[]> => {
    const response = await api.request(`/v1/find?q=${encodeURIComponent(q)}${more}`);
    expect(response.status).toBe(200);
    return ((await response.json()) as { items: Found[] }).items;
  };
  const announce = async (action: string): Promise<void> => {
    const body = JSON.stringify({ action, repository: { full_name: 'Acme/Shop' } });
    const response = await api.request('/v1/webhooks/codehost', {
      method: 'POST',
      body,
      headers: {
        'X-GitHub-Event': 'issues',
        'X-Hub-Signature-256': `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`,
      },
    });
    expect(response.status).toBe(202);
  };
  return { api, send, find, announce };
}

describe('find an issue', () => {
  it('200: by its title, number, label and URL, with the address of its card on the board', async () => {
    const { send, find } = await startWithRepo();
    const { number, html_url: url } = await send('POST', 'issues', { title: 'Hold the fare', labels: ['pricing'] });
    const issue = {
      kind: 'issue',
      org: 'acme',
      product: 'shop',
      name: `acme/shop#${number}`,
      title: 'Hold the fare',
      note: `acme/shop#${number}`,
      path: `/acme/products/shop/board?issue=acme%2Fshop%23${number}`,
    };
    for (const q of ['fare hold', `#${number}`, `acme/shop#${number}`, 'pricing', url])
      expect(await find(q)).toEqual([issue]);
    expect(await find('gates')).toEqual([]);
  });

  it('200: after a webhook has announced that it was opened, renamed or closed', async () => {
    const { send, find, announce } = await startWithRepo();
    expect(await find('fare')).toEqual([]);
    const { number } = await send('POST', 'issues', { title: 'Hold the fare' });
    expect(await find('fare')).toEqual([]);
    await announce('milestoned');
    expect(await find('fare')).toMatchObject([{ title: 'Hold the fare' }]);
    await send('PATCH', `issues/${number}`, { title: 'Hold the fare for a day' });
    await announce('edited');
    expect(await find('fare')).toMatchObject([{ title: 'Hold the fare for a day' }]);
    await send('PATCH', `issues/${number}`, { state: 'closed' });
    await announce('closed');
    expect(await find('fare')).toEqual([]);
  });

  it('200: reads no code host for a caller with roles in many orgs who names none', async () => {
    const { api, send, find } = await startWithRepo();
    await send('POST', 'issues', { title: 'Hold the fare' });
    for (let index = 0; index < 20; index += 1) await createOrg(api.store, `org-${index}`);
    expect(await find('fare')).toEqual([]);
    expect(await find('fare', '&org=acme')).toMatchObject([{ title: 'Hold the fare' }]);
  });
});
