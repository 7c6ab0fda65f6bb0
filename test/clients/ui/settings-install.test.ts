import { expect, it } from 'vitest';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
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
    await fill('Name', 'Harbour');
    await press('Create the org');
    await focusSays('must');
    await fill('Name', 'harbour');
    await fill('Name for people', 'Harbour works');
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
