import { expect, it } from 'vitest';
import { ensureInstallation } from '../../../src/reconcile/ensure-installation.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { InstallationKind, installationRef } from '../../../src/rules/installation/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { imageRegistryRef, readImageRegistry } from '../../../src/rules/registries/image-registry.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { itWithRegistry, startRegistry } from '../../support/servers/registry.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { openUi, read, settle, signIn } from './open-ui.ts';
import { holdRequests } from './refuse-requests.ts';
import { makePlatformAdmin, operate } from './settings-fixture.ts';
import { credentials } from './ui-fixture.ts';

describeWithChromium('the settings of the installation in a browser', () => {
  it('add a person and an org, and delete the org by its typed name', async () => {
    const { page, faults, open, store, url, starts } = await openUi({ expected: [/422|409/] });
    const { press, fill, says, focusSays, follow } = operate(page);
    await makePlatformAdmin(store);
    await open('/settings/users');
    await signIn(page);
    await fill('E-mail address', 'aino@example.com');
    await fill('First password', 'short');
    await press('Add the person');
    await focusSays('12');
    expect(await read(page, "document.querySelector('input[type=email]').value")).toBe('aino@example.com');
    const password = 'a long enough password';
    await fill('First password', password);
    await press('Add the person');
    await says('aino@example.com can sign in now');
    const body = JSON.stringify({ email: 'aino@example.com', password });
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(`${url}/api/v1/auth/sign-in`, { method: 'POST', headers, body })).ok).toBe(true);

    await press('Roles of aino@example.com');
    await says('No access group of any org gives this person a role');
    await press('Roles of priya@example.com');
    await says('A platform admin has every role in every org.');
    await says('The group team gives the role member, because it lists this address');
    await press('Roles of priya@example.com');

    await press('Reset password of aino@example.com');
    await fill('New password', 'short');
    await press('Reset the password');
    await focusSays('12');
    await fill('New password', 'another long password');
    await press('Reset the password');
    await says('aino@example.com signs in with the new password');
    const signInAs = async (secret: string): Promise<number> => {
      const credentials = JSON.stringify({ email: 'aino@example.com', password: secret });
      return (await fetch(`${url}/api/v1/auth/sign-in`, { method: 'POST', headers, body: credentials })).status;
    };
    expect([await signInAs(password), await signInAs('another long password')]).toEqual([401, 200]);
    await press('Remove aino@example.com');
    await says('revoked at once');
    await press('Remove');
    await page.waitForFunction("!document.querySelector('main table').innerText.includes('aino@example.com')");
    expect(await signInAs('another long password')).toBe(401);
    await page.waitForSelector('button[aria-disabled=true][aria-label="Remove priya@example.com"]');

    await follow('Orgs');
    // The page of people has a field of this name too.
    await page.waitForSelector('h1 ::-p-text(Orgs)');
    await fill('Name', 'Harbour');
    await press('Create the org');
    await focusSays('must');
    await fill('Name', 'harbour');
    await fill('Display name', 'Harbour works');
    await press('Create the org');
    await page.waitForFunction("location.pathname === '/harbour/settings/codehost'");
    const ref = { namespace: 'service-system', name: 'harbour' };
    expect((await store.get(OrganizationKind, ref)).spec).toMatchObject({ displayName: 'Harbour works' });

    await open('/harbour/settings');
    await page.waitForSelector('button[aria-disabled=true] ::-p-text(Delete harbour)');
    await fill('Type harbour to confirm', 'harbour');
    await press('Delete harbour');
    await expect.poll(async () => (await store.find(OrganizationKind, ref))?.metadata.deletionTimestamp).toBeDefined();
    await says('Deletion');
    expect(starts.length).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  it('check domains before they are saved, refuse what is in use, and offer managed domains at once', async () => {
    const { page, faults, open, store } = await openUi({ expected: [/422|409|412/] });
    const { press, says, focusSays } = operate(page);
    await page.setViewport({ width: 1440, height: 900 });
    await makePlatformAdmin(store);
    await ensureInstallation(store, {
      domains: buildDomainSettings({ managedBaseDomains: [] }),
      passwordSignIn: 'everyone',
    });
    await open('/settings');
    await signIn(page);
    await says('MANAGED_BASE_DOMAINS (managed.test)');
    await says('acme/gitops');
    await open('/acme/domains');
    await press('Add domain');
    await page.waitForSelector('#kind-external');
    await page.waitForSelector('#kind-managed', { hidden: true });
    await open('/settings');
    const roots = 'form[aria-label="Settings of the installation"] textarea';
    await page.locator(roots).fill('delivery.example.com');
    await press('Check these settings');
    await focusSays('is a host of the service itself');
    await page.locator(roots).fill('sites.test');
    await press('Check these settings');
    await says('None → sites.test');
    await says('No server of its DNS zone answers');
    const readRoots = async () => (await store.get(InstallationKind, installationRef)).spec.managedDomainRoots;
    expect(await readRoots()).toEqual([]);
    await press('Save these settings');
    await says('Saved.');
    expect(await readRoots()).toEqual(['sites.test']);
    await open('/acme/domains');
    await press('Add domain');
    await page.waitForSelector('#kind-managed');
    await says('Under sites.test.');

    await store.create(DomainKind, {
      metadata: { namespace: 'org-acme', name: 'a.sites.test' },
      spec: { name: 'a.sites.test', kind: 'managed', shared: false, token: 'token' },
    });
    await open('/settings');
    await page.locator(roots).fill('other.test');
    await press('Check these settings');
    await says('a.sites.test of acme');
    expect(await readRoots()).toEqual(['sites.test']);
    expect(faults).toEqual([]);
  });

  itWithRegistry('set the registry of images, whose accounts are checked, and delete it', async () => {
    const { host } = await startRegistry();
    const { page, faults, open, store } = await openUi({
      expected: [/422/],
      judged: createTestDispatcher('127.0.0.1'),
    });
    const { press, fill, says, focusSays } = operate(page);
    await page.setViewport({ width: 1440, height: 900 });
    await makePlatformAdmin(store);
    await open('/settings');
    await signIn(page);
    await says('which environment variables set');
    await fill('Host', host);
    await fill('Repository prefix', 'delivery');
    for (const user of ['builds', 'zones']) {
      await fill(`Account of ${user}`, 'ada');
      await fill(`Password of ${user}`, 'correct-horse');
    }
    await fill('Password of zones', 'battery-staple');
    await press('Check and save');
    await focusSays('was rejected by the registry');
    await fill('Password of zones', 'correct-horse');
    await press('Check and save');
    await says(`Images are at ${host}/delivery/{org}/{product}`);
    await says('use an account that only pulls');
    expect(String(await read(page, 'document.body.outerHTML')).includes('correct-horse')).toBe(false);
    expect(readImageRegistry(await store.find(SecretKind, imageRegistryRef))).toMatchObject({ pull: { host } });
    await press(`Delete ${host}`);
    await press('Delete');
    await says('which environment variables set');
    expect(await store.find(SecretKind, imageRegistryRef)).toBeUndefined();
    expect(faults).toEqual([]);
  });

  it('keep the form of another person open when a password is reset', async () => {
    const { page, faults, open, store, request } = await openUi();
    const { press, fill } = operate(page);
    await makePlatformAdmin(store);
    const body = { email: 'aino@example.com', password: credentials.password };
    await request('/v1/access/users', { method: 'POST', via: 'session', body });
    await open('/settings/users');
    await signIn(page);
    const { isHeld, release } = await holdRequests(page, (one) => one.method() === 'PUT');
    await press('Reset password of root@example.com');
    await fill('New password', 'a long enough password');
    await press('Reset the password');
    await isHeld();
    await press('Reset password of aino@example.com');
    await page.locator('form[aria-label="New password of aino@example.com"] input').fill('another long password');
    const done = page.waitForResponse((response) => response.url().endsWith('/password'));
    await release();
    await done;
    await settle(page);
    expect(
      await read(page, 'document.querySelector(\'form[aria-label="New password of aino@example.com"] input\')?.value'),
    ).toBe('another long password');
    expect(faults).toEqual([]);
  });

  it('change the person’s own password, and sign them out everywhere else', async () => {
    const { page, faults, open, url } = await openUi({ expected: [/422/] });
    const { press, fill, says, focusSays } = operate(page);
    // On a narrow page the bar at the bottom covers the button, and a click does not scroll.
    await page.setViewport({ width: 1440, height: 900 });
    await open('/settings/account');
    await signIn(page);
    await page.waitForSelector('button[aria-disabled=true] ::-p-text(Sign out everywhere else)');
    const headers = { 'Content-Type': 'application/json' };
    const elsewhere = await fetch(`${url}/api/v1/auth/sign-in`, {
      method: 'POST',
      headers,
      body: JSON.stringify(credentials),
    });
    const Cookie = elsewhere.headers.get('set-cookie')?.split(';')[0] ?? '';
    const readMe = async (): Promise<number> => (await fetch(`${url}/api/v1/me`, { headers: { Cookie } })).status;
    expect(await readMe()).toBe(200);
    await page.reload();
    await press('Sign out everywhere else');
    await says('Your other sessions have ended');
    expect(await readMe()).toBe(401);
    await fill('Current password', 'not my password');
    await fill('New password', 'a password of my choice');
    await press('Change the password');
    await focusSays('wrong');
    await fill('Current password', credentials.password);
    await press('Change the password');
    await says('Your password is changed');
    const body = JSON.stringify({ ...credentials, password: 'a password of my choice' });
    expect((await fetch(`${url}/api/v1/auth/sign-in`, { method: 'POST', headers, body })).ok).toBe(true);
    expect(faults).toEqual([]);
  });
});
