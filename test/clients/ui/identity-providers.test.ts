import { expect, it } from 'vitest';
import { identityProviderRef, readClientSecret } from '../../../api/identity/identity-provider.ts';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { startTestCodehost } from '../../emulators/codehost/codehost-fixture.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openIdClient, startOpenIdProvider } from '../../support/servers/openid-provider.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { makePlatformAdmin, operate } from './settings-fixture.ts';

describeWithChromium('an identity provider in a browser', () => {
  it('is added in the settings, signs a person in, is changed and is removed', async () => {
    const judged = createTestDispatcher('127.0.0.1');
    const { page, faults, open, store, url } = await openUi({ judged, expected: [/409|412|422/, /^http:\/\/127/] });
    const redirectUri = `${url}/api/v1/auth/providers/sso/callback`;
    const { issuer } = await startOpenIdProvider({
      redirectUris: [redirectUri],
      accounts: { ada: { email: 'ada@example.com', email_verified: true } },
    });
    const { press, fill, follow, says, focusSays } = operate(page);
    const forgetSession = async (): Promise<void> => {
      // A page that is open leads to the sign-in by itself, and back to itself.
      await page.goto('about:blank');
      await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
    };
    await makePlatformAdmin(store);
    await open('/settings/users');
    await signIn(page);
    await fill('Name', 'sso');
    await says(redirectUri);
    await fill('Display name', 'Tidewater SSO');
    await fill('Issuer', `${issuer}/wrong`);
    await fill('Client id', openIdClient.clientId);
    await fill('Client secret', openIdClient.clientSecret);
    await press('Add the provider');
    await focusSays('unexpected response');
    await fill('Issuer', issuer);
    await press('Add the provider');
    await says('People can sign in with Tidewater SSO now');
    expect(await read(page, 'document.documentElement.outerHTML')).not.toContain(openIdClient.clientSecret);

    expect(faults).toEqual([]);
    await forgetSession();
    await open('/signin?to=/settings/account');
    await follow('Sign in with Tidewater SSO');
    await page.locator('input[name=login]').fill('ada');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('button[type=submit] ::-p-text(Continue)').click();
    await page.waitForFunction("location.pathname === '/settings/account'");
    await says('ada@example.com');
    expect(page.url()).toBe(`${url}/settings/account`);
    // The pages of the provider are not ours to judge.
    faults.length = 0;

    await forgetSession();
    await open('/settings/users');
    await signIn(page);
    await press('Edit sso');
    await fill('Display name', 'Tidewater accounts');
    await fill('E-mail domains', 'example.com');
    await press('Save');
    await says('Tidewater accounts is saved');
    // A secret that is not typed again stays, and so do the sessions.
    expect(await readClientSecret(store, 'sso')).toBe(openIdClient.clientSecret);
    const { spec } = await store.get(IdentityProviderKind, identityProviderRef('sso'));
    expect(spec).toMatchObject({ label: 'Tidewater accounts', issuer, emailDomains: ['example.com'] });
    await press('Edit sso');
    await store.replace(IdentityProviderKind, {
      ...(await store.get(IdentityProviderKind, identityProviderRef('sso'))),
      spec: { ...spec, label: 'Theirs' },
    });
    await fill('Client secret', 'renewed');
    await press('Save');
    await page.waitForSelector('form[aria-label="Edit sso"] [role=alert]');
    expect(await readClientSecret(store, 'sso')).toBe(openIdClient.clientSecret);
    await press('Cancel');
    await press('Edit sso');
    await fill('Client secret', 'renewed');
    await press('Save');
    await says('Theirs is saved');
    expect(await readClientSecret(store, 'sso')).toBe('renewed');
    expect(await read(page, 'document.documentElement.outerHTML')).not.toContain('renewed');

    await press('Remove sso');
    await says('is signed out');
    await press('Remove');
    await says('Everyone signs in with a password');
    expect(faults).toEqual([]);
  });

  it('is the code host, which signs in the members of an organization', async () => {
    const codehost = await startTestCodehost();
    codehost.savePerson({
      login: 'grace',
      password: 'any',
      emails: [{ email: 'grace@example.com', primary: true, verified: true }],
      organizations: ['tidewater'],
    });
    const judged = createTestDispatcher('127.0.0.1');
    const { page, faults, open, store, url } = await openUi({ judged, expected: [/^http:\/\/127/] });
    const app = codehost.registerOAuthApp({
      name: 'Delivery',
      callbackUrl: `${url}/api/v1/auth/providers/codehost/callback`,
    });
    const { press, fill, follow, says } = operate(page);
    await makePlatformAdmin(store);
    await open('/settings/users');
    await signIn(page);
    await fill('Type', 'github', 'combobox');
    expect(await read(page, "document.querySelector('input[type=url]').value")).toBe('https://github.com');
    await fill('Name', 'codehost');
    await fill('Display name', 'Tidewater GitHub');
    await fill('Web address', codehost.url.replace('localhost', '127.0.0.1'));
    await fill('Client id', app.clientId);
    await fill('Client secret', app.clientSecret);
    await fill('Organizations', 'tidewater');
    await press('Add the provider');
    await says('People can sign in with Tidewater GitHub now');
    expect(faults).toEqual([]);

    await page.goto('about:blank');
    await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
    await open('/signin?to=/settings/account');
    await follow('Sign in with Tidewater GitHub');
    await page.locator('input[name=login]').fill('grace');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button ::-p-text(Authorize)').click();
    await page.waitForFunction("location.pathname === '/settings/account'");
    await says('grace@example.com');
  });
});
