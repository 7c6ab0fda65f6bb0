import { expect, it } from 'vitest';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { makePlatformAdmin, operate } from './settings-fixture.ts';

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
});
