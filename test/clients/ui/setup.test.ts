import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'puppeteer-core';
import { expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { UserKind } from '../../../src/rules/access/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { InstallationKind, installationRef } from '../../../src/rules/installation/kinds.ts';
import { seedOrg } from '../../../src/reconcile/seed-org.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { expectToFit, openUi, read, settle, signIn } from './open-ui.ts';
import { createStateOpener } from './page-states.ts';
import { makePlatformAdmin, operate } from './settings-fixture.ts';

const createdApp = {
  id: 17,
  slug: 'harbor-delivery',
  html_url: 'http://codehost.example/apps/harbor-delivery',
  client_id: 'Iv1.1',
  client_secret: 'client-secret-text',
  webhook_secret: 'webhook-secret-text',
  pem: generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey,
};

/** Serves a code host where the person agrees at once to create the app of a manifest. */
async function startCodehost(): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://codehost.example');
    if (pathname === '/app-manifests/fresh/conversions') {
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(createdApp));
      return;
    }
    // The person has not installed the app on any repo.
    if (pathname.endsWith('/installation')) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message: 'Not Found' }));
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const manifest = new URLSearchParams(Buffer.concat(chunks).toString()).get('manifest') ?? '{}';
      const { redirect_url: callback } = JSON.parse(manifest) as { redirect_url: string };
      const state = searchParams.get('state') ?? '';
      response.writeHead(302, { Location: `${callback}?code=fresh&state=${encodeURIComponent(state)}` }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function createSetupToken(store: Store): Promise<void> {
  await store.create(SecretKind, {
    metadata: { namespace: 'service-system', name: 'service-setup' },
    data: { token: Buffer.from('the-setup-token').toString('base64') },
  });
}

/** Lets the next request of a path have its effect, and loses the response, as when the service is killed then. */
async function loseResponse(page: Page, path: string): Promise<void> {
  await page.setRequestInterception(true);
  let isLost = false;
  page.on('request', (sent) => {
    if (isLost || !sent.url().endsWith(path)) return void sent.continue();
    isLost = true;
    const body = sent.postData() ?? '';
    void fetch(sent.url(), { method: sent.method(), headers: sent.headers(), body }).then(
      async () => await sent.abort('connectionreset'),
    );
  });
}

describeWithChromium('the setup in a browser', () => {
  it('goes on with what was typed when the root user was created and the response is lost', async () => {
    const { page, open, store } = await openUi({ expected: [/409|ERR_CONNECTION_RESET/], isSetUp: false });
    const { press, fill, says } = operate(page);
    await createSetupToken(store);
    await open('/setup#the-setup-token');
    await fill('E-mail address', 'ops@example.com');
    await fill('Password', 'a long enough password');
    await loseResponse(page, '/v1/setup/root-user');
    await press('Create the root user');
    await says('The connection to the server failed');
    await press('Create the root user');
    await says('Under which domain are zones served?');
    expect((await store.list(UserKind)).items).toHaveLength(1);
  });

  it('leads from the setup token to a connected org, and each step is checked', async () => {
    const codehost = await startCodehost();
    const { page, faults, open, store } = await openUi({
      expected: [/422|401|503/],
      isSetUp: false,
      codehost,
      codehostApiUrl: codehost,
    });
    const { press, follow, fill, says, focusSays } = operate(page);
    await store.delete(OrganizationKind, { namespace: 'service-system', name: 'acme' });
    await createSetupToken(store);
    await open('/setup#the-setup-token');
    await page.waitForSelector('input[name=email]:focus');
    expect(await read(page, 'location.hash')).toBe('');
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.type('ops@example.com');
    await fill('Password', 'short');
    await press('Create the root user');
    await focusSays('must have at least 12 characters');
    await fill('Password', 'a long enough password');
    await press('Create the root user');
    await says('Under which domain are zones served?');
    expect(await findBarriers(page)).toEqual([]);
    await fill('Platform domain', 'not a domain');
    await press('Check these settings');
    await focusSays('must be a domain name');
    await fill('Platform domain', 'Apps.Harbor.example');
    await press('Check these settings');
    await says('apps.example.net → apps.harbor.example');
    // A browser that is opened again comes back to this step, and to the next one after a save.
    await press('Discard');
    await open('/setup');
    await says('Under which domain are zones served?');
    await fill('Platform domain', 'apps.harbor.example');
    await press('Check these settings');
    await press('Save these settings');
    // The servers of metrics of this installation answer, so that their step is done.
    await says('Create the first org');
    expect((await store.get(InstallationKind, installationRef)).spec.platformDomain).toBe('apps.harbor.example');
    await open('/setup');
    await says('Create the first org');
    await press('Back');
    await says('Prometheus and Alertmanager answer');
    expect(await findBarriers(page)).toEqual([]);
    await press('Continue');
    await says('Create the first org');
    await fill('Name of the org', 'Harbor Ltd');
    await press('Create the org');
    await focusSays('must');
    await fill('Name of the org', 'harbor');
    await press('Create the org');
    await says('Connect the code host');
    await says('to the repo harbor/gitops');
    expect(await findBarriers(page)).toEqual([]);
    await page.locator('nav a[href$="step=product"]').click();
    await follow('Connect the code host first');
    await press('Connect the code host…');
    await says('The org harbor is connected');
    await follow('Continue the setup');
    await says('Ship the first Product');
    await page.locator('nav a[href$="step=codehost"]').click();
    await says('The code host is connected');
    await says('harbor/gitops');
    await says("does not have the application's installation");
    expect(await findBarriers(page)).toEqual([]);
    await press('Continue');
    await says('The provider does not answer');
    await page.locator('nav a[href$="step=root"]').click();
    await says('You are signed in as ops@example.com');
    await says('The cluster apart can be read');
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewport({ width: 320, height: 800 });
    await expectToFit(page, 320);
    expect(faults).toEqual([]);
  });

  it('shows a step whose settings cannot be read, with the reason in their place', async () => {
    const { page, open, store } = await openUi();
    await seedOrg(store, 'acme');
    await makePlatformAdmin(store);
    const openInState = await createStateOpener(page);
    await open('/signin');
    await signIn(page);
    await openInState('/setup?step=domain', 'failed');
    await operate(page).says('The server failed');
    expect(await read(page, "document.querySelector('h1').innerText")).toBe('Under which domain are zones served?');
  });

  it('says where a Change starts that the org has no model, with the way to set one', async () => {
    const { page, faults, open, store } = await openUi({ role: 'org-admin', isWithoutModel: true });
    const { press, follow, says } = operate(page);
    await seedOrg(store, 'acme');
    await store.create(ProductKind, {
      metadata: { namespace: 'org-acme', name: 'shop' },
      spec: { repos: ['acme/shop'], delivery: { zones: [] } },
    });
    await open('/signin');
    await signIn(page);
    await open('/setup?step=models');
    await says('Without a provider, agents cannot work');
    await open('/acme/changes');
    await press('Start a Change…');
    await says('The org has no model provider');
    await follow('Set a model provider');
    await says('API key');
    expect(faults).toEqual([]);
  });

  it('keeps what is typed about the provider when another person changes it', async () => {
    const { page, faults, open, store } = await openUi({ role: 'org-admin', expected: [/503/] });
    await page.setViewport({ width: 1440, height: 900 });
    await seedOrg(store, 'acme');
    await page.setRequestInterception(true);
    let resourceVersion = '1';
    page.on('request', (request) => {
      if (!request.url().endsWith('/orgs/acme/model-provider')) return void request.continue();
      const actions = [{ name: 'putModelProvider', allowed: true }];
      const provider = {
        org: 'acme',
        source: 'org',
        kind: 'openai',
        model: 'small',
        hasKey: true,
        actions,
        resourceVersion,
      };
      void request.respond({ contentType: 'application/json', body: JSON.stringify(provider) });
    });
    await open('/signin');
    await signIn(page);
    await open('/setup?step=models');
    await operate(page).fill('Model', 'large');
    resourceVersion = '2';
    const isNew = page.waitForResponse((response) => response.url().endsWith('/model-provider'));
    await operate(page).press('Check now');
    await isNew;
    await settle(page);
    expect(await read(page, `document.querySelector('form[aria-label="Provider"] input').value`)).toBe('large');
    expect(faults).toEqual([]);
  });
});
