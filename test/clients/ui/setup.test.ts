import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { InstallationKind, installationRef } from '../../../src/rules/installation/kinds.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { expectToFit, openUi, read } from './open-ui.ts';
import { operate } from './settings-fixture.ts';

const createdApp = {
  id: 17,
  slug: 'harbor-delivery',
  html_url: 'http://codehost.example/apps/harbor-delivery',
  client_id: 'Iv1.1',
  client_secret: 'client-secret-text',
  webhook_secret: 'webhook-secret-text',
  pem: 'private-key-text',
};

/** Serves a code host where the person agrees at once to create the app of a manifest. */
async function startCodehost(): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://codehost.example');
    if (pathname === '/app-manifests/fresh/conversions') {
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(createdApp));
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

describeWithChromium('the setup in a browser', () => {
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
    await store.create(SecretKind, {
      metadata: { namespace: 'service-system', name: 'service-setup' },
      data: { token: Buffer.from('the-setup-token').toString('base64') },
    });
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
    await says('Create the first org');
    expect((await store.get(InstallationKind, installationRef)).spec.platformDomain).toBe('apps.harbor.example');
    await open('/setup');
    await says('Create the first org');
    await fill('Name of the org', 'Harbor Ltd');
    await press('Create the org');
    await focusSays('must');
    await fill('Name of the org', 'harbor');
    await press('Create the org');
    await says('Connect the code host');
    expect(await findBarriers(page)).toEqual([]);
    await press('Connect the code host…');
    await says('The org harbor is connected');
    await follow('Continue the setup');
    await says('Ship the first Product');
    await page.locator('nav a[href$="step=codehost"]').click();
    await says('The code host is connected');
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
});
