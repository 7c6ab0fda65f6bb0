import { expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { issuerPath } from '../../../src/rules/cloud-accounts/identity-token.ts';
import { CloudAccountKind } from '../../../src/rules/cloud-accounts/kinds.ts';
import { clustersSecretRef, readClusterAccess } from '../../../src/rules/clusters/clusters-secret.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { startClusterServer } from '../../support/servers/cluster-server.ts';
import { addClusters, gkeCluster, googleSpec, startTestCloud } from '../../support/servers/test-cloud.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { makePlatformAdmin, operate } from './settings-fixture.ts';
import { choose } from './settings-forms.ts';

describeWithChromium('the workload clusters in a browser', () => {
  it('a platform admin adds a cluster, sees what the check found, rotates its kubeconfig, and removes it', async () => {
    const server = await startClusterServer();
    const { page, faults, open, store, request } = await openUi({ expected: [/422/, /412/], judge: () => undefined });
    const { press, fill, says, focusSays } = operate(page);
    await page.setViewport({ width: 1440, height: 900 });
    await makePlatformAdmin(store);
    const readToken = async () => readClusterAccess(await store.find(SecretKind, clustersSecretRef), 'eu-west')?.token;
    const paste = async (selector: string, text: string) => {
      await page.locator(selector).fill('');
      await page.focus(selector);
      await page.keyboard.sendCharacter(text);
    };
    await open('/settings/clusters');
    await signIn(page);
    // The operator of the test configured one, which the page cannot change.
    await press('Open apart');
    await says('Configured by the operator');
    await fill('Name', 'eu-west');
    const add = 'form[aria-label="Add a cluster"]';
    await paste(`${add} textarea`, server.kubeconfig('wrong'));
    await press('Check and add');
    await focusSays('users[0].user: is not accepted');
    expect(await readToken()).toBeUndefined();
    await paste(`${add} textarea`, server.kubeconfig());
    await press('Check and add');
    await says('The account can do what zones need.');
    await says('No zone runs there.');
    expect(await readToken()).toBe(server.account.token);

    const edit = 'form[aria-label="Edit eu-west"]';
    server.account.token = 'rotated';
    await paste(`${edit} textarea`, server.kubeconfig('rotated'));
    await page.locator(`${edit} button[type=submit]`).click();
    await expect.poll(readToken).toBe('rotated');
    await expect.poll(async () => String(await read(page, 'document.body.outerHTML')).includes('rotated')).toBe(false);

    await paste(`${edit} input`, 'Mine');
    const path = '/v1/clusters/eu-west';
    const theirs = { label: 'Theirs' };
    const headers = { 'If-Match': '*' };
    const saved = await request(path, { method: 'PUT', via: 'session', headers, body: theirs });
    expect(saved.status).toBe(200);
    await page.locator(`${edit} button[type=submit]`).click();
    await says('while you were editing');
    const conflict = String(await read(page, "document.querySelector('section[role=alert]').innerText"));
    expect(conflict).toMatch(/label: Theirs[^]*label: Mine/);
    await press('Keep mine');
    await page.locator(`${edit} button[type=submit]`).click();
    const readLabel = async () => ((await (await request(path)).json()) as { label: string }).label;
    await expect.poll(readLabel).toBe('Mine');

    await fill('Type eu-west to confirm', 'eu-west');
    await press('Remove eu-west');
    await expect.poll(readToken).toBeUndefined();
    await page.waitForSelector(edit, { hidden: true });
    expect(faults).toEqual([]);
  });

  it('keeps what was typed over an expired session, but no kubeconfig', async () => {
    const { page, faults, open, store } = await openUi({ expected: [/401/] });
    const { press, fill } = operate(page);
    await makePlatformAdmin(store);
    await open('/settings/clusters');
    await signIn(page);
    const add = 'form[aria-label="Add a cluster"]';
    await page.locator(`${add} textarea`).fill('token: hush-hush');
    await fill('Name', 'eu-west');
    await fill('Display name, optional', 'Frankfurt');
    const browser = await page.createCDPSession();
    await browser.send('Network.clearBrowserCookies');
    await press('Check and add');
    await page.waitForSelector('h1 ::-p-text(Sign in)');
    const kept = await read(page, 'JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(kept).toContain('Frankfurt');
    expect(kept).not.toContain('hush-hush');
    await page.focus('input[name=email]');
    await signIn(page);
    await page.waitForFunction(`document.querySelectorAll('${add} input')[1]?.value === 'Frankfurt'`);
    expect(await read(page, `document.querySelector('${add} textarea').value`)).toBe('');
    expect(faults).toEqual([]);
  });

  it('a platform admin adds a cluster of a cloud, and sees when the cloud no longer lets the account in', async () => {
    const cloud = await startTestCloud({ issuer: 'https://other.example.com' });
    const server = await startClusterServer({
      isAccepted: async (token) => (await cloud.review(token, gkeCluster)).authenticated,
    });
    addClusters(cloud.state, server);
    const { page, faults, open, store } = await openUi({
      judged: createTestDispatcher('127.0.0.1'),
      judge: () => undefined,
      cloudEndpoints: cloud.endpoints,
      expected: [/422/],
    });
    const { press, fill, says, focusSays } = operate(page);
    await page.setViewport({ width: 1440, height: 900 });
    await makePlatformAdmin(store);
    await store.create(CloudAccountKind, { metadata: { namespace: 'org-acme', name: 'production' }, spec: googleSpec });
    const [provider] = cloud.state.google.providers;
    if (!provider) throw new Error('There is no provider.');
    await open('/settings/clusters');
    await signIn(page);
    provider.issuer = `${new URL(page.url()).origin}${issuerPath}`;
    await fill('Name', 'eu-west');
    await choose(page, 'Sign in with', 'cloud');
    await choose(page, 'Org of the account', 'acme');
    await says('the settings of acme');
    await choose(page, 'Cloud account', 'production');
    await says('The service account needs roles/container.clusterViewer.');
    await fill('Cluster at the cloud', 'zones');
    await press('Check and add');
    await focusSays('must be projects/<project>/locations/<location>/clusters/<name>');
    await fill('Cluster at the cloud', gkeCluster);
    await press('Check and add');
    await says('The account can do what zones need.');
    await says('production of acme');
    cloud.state.google.serviceAccounts = {};
    await press('Check eu-west now');
    await says('PERMISSION_DENIED');
    await says('Grant roles/iam.workloadIdentityUser');
    expect(faults).toEqual([]);
  });
});
