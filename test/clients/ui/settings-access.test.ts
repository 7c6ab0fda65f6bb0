import { expect, it } from 'vitest';
import { AccessGroupKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { addIdentityProvider, makeOrgAdmin, operate } from './settings-fixture.ts';

const namespace = 'org-acme';

/** Reads the table of what the saved groups resolve to. */
const readGroups = async (page: Parameters<typeof read>[0]) =>
  (await read(
    page,
    "[...document.querySelectorAll('section[aria-labelledby=group-people] tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))",
  )) as string[][];

describeWithChromium('the settings of access in a browser', () => {
  it('gives people roles, shows what another admin saved meanwhile, and says who has which role', async () => {
    const { page, faults, open, store } = await openUi({ expected: [/412|422|409/] });
    const { press, check, fill, says, focusSays } = operate(page);
    await makeOrgAdmin(store);
    await open('/acme/settings/access');
    await signIn(page);
    await press('Add group');
    await fill('Name', 'Port offices');
    await fill('Members', 'lars@example.com\nelspeth@example.com\n');
    await press('Save access groups');
    await focusSays('must');
    await fill('Name', 'port-offices');
    await store.create(AccessGroupKind, {
      metadata: { namespace, name: 'crew' },
      spec: { name: 'crew', role: 'viewer', members: ['hanne@example.com'] },
    });
    await press('Save access groups');
    await says('Another person saved this while you were editing');
    await says('hanne@example.com');
    expect(await read(page, "document.querySelector('textarea').value")).toContain('elspeth@example.com');
    await press('Keep mine');
    await press('Save access groups');
    await says('Saved.');
    const { items } = await store.list(AccessGroupKind, { namespace });
    expect(items.map(({ spec }) => [spec.name, spec.role, spec.members.length]).toSorted()).toEqual([
      ['port-offices', 'member', 2],
      ['team', 'org-admin', 1],
    ]);
    await expect
      .poll(async () => await readGroups(page))
      .toContainEqual(['port-offices', 'None', 'lars@example.com, elspeth@example.com', 'None']);
    await fill('E-mail address of a person', 'lars@example.com', 'combobox');
    await press('Look up');
    await says('lars@example.com has the role member.');
    await says('The group port-offices gives the role member, because it lists this address.');
    await check('Not by a contributor');
    await press('Save');
    await expect
      .poll(async () => (await store.get(OrganizationKind, { namespace: 'service-system', name: 'acme' })).spec)
      .toMatchObject({ approvals: { preventSelfApproval: true } });
    expect(faults).toEqual([]);
  });

  it('gives the people of a group at an identity provider a role, and says so at once', async () => {
    const { page, faults, open, store } = await openUi();
    const { press, fill, says } = operate(page);
    await makeOrgAdmin(store);
    const providerUid = await addIdentityProvider(store);
    const ada = { namespace: 'service-system', name: 'ada' };
    await store.create(UserKind, { metadata: ada, spec: { email: 'ada@example.com', platformAdmin: false } });
    const identity = { provider: 'sso', providerUid, groups: ['developers'], renewable: false };
    await store.updateStatus(UserKind, ada, () => ({
      identities: [{ ...identity, checkedAt: new Date().toISOString() }],
    }));
    await open('/acme/settings/access?person=ada@example.com');
    await signIn(page);
    await says('ada@example.com has no role in acme.');
    const readCounts = async () =>
      await read(page, "[...document.querySelectorAll('[data-l=People]')].map((cell) => cell.innerText)");
    await expect.poll(readCounts).toEqual(['0', '0', '2']);
    await press('Edit team');
    await fill('Groups of Example SSO', 'developers\n\n');
    await press('Save access groups');
    await says(
      'The group team gives the role org-admin, because it contains the group developers of the identity provider sso.',
    );
    await expect.poll(readCounts).toEqual(['0', '0', '3']);
    await says('developers of sso');
    await expect
      .poll(async () => (await readGroups(page)).map((cells) => cells.at(-1)))
      .toContain('developers of sso: ada@example.com');
    const { spec } = await store.get(AccessGroupKind, { namespace, name: 'team' });
    expect(spec.providerGroups).toEqual([{ provider: 'sso', group: 'developers' }]);
    await press('Edit team');
    await fill('Groups of Example SSO', ' ');
    await press('Save access groups');
    await says('ada@example.com has no role in acme.');
    expect((await store.get(AccessGroupKind, { namespace, name: 'team' })).spec.providerGroups).toBeUndefined();
    expect(faults).toEqual([]);
  });

  it('lets a member read settings, and says why they cannot be changed', async () => {
    const { page, faults, open } = await openUi();
    await open('/acme/settings/scheduling');
    await signIn(page);
    await operate(page).says('This requires the role "org-admin" or higher; your role is "member".');
    expect(await read(page, "document.querySelector('input[type=checkbox]').matches(':disabled')")).toBe(true);
    await open('/acme/settings/access');
    await operate(page).says('This requires the role "org-admin" or higher; your role is "member".');
    expect(await read(page, "document.querySelectorAll('main button[aria-label^=Edit]').length")).toBe(0);
    expect(faults).toEqual([]);
  });

  it('creates a token, shows it once, and revokes it', async () => {
    const { page, faults, open, url } = await openUi();
    const { press, fill, says } = operate(page);
    await open('/settings/tokens');
    await signIn(page);
    await fill('Label', 'nightly script');
    await fill('Maximum role', 'viewer', 'combobox');
    await press('Create the token');
    await says('Copy the token “nightly script” now');
    await press('Copy the token');
    await says('Copied');
    const token = String(await read(page, "document.querySelector('section code').innerText"));
    const readMe = async () => await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await (await readMe()).json()).toMatchObject({ via: 'token', roleMax: 'viewer' });
    await open('/settings/tokens');
    expect(await read(page, 'document.body.innerText')).not.toContain(token);
    await press('Revoke nightly script');
    await says('Its next request is rejected');
    await press('Revoke');
    await says('No token yet');
    expect((await readMe()).status).toBe(401);
    expect(faults).toEqual([]);
  });

  it('shows the text of each token until it is closed', async () => {
    const { page, faults, open } = await openUi();
    const { press, fill, says } = operate(page);
    await page.setViewport({ width: 1440, height: 900 });
    await open('/settings/tokens');
    await signIn(page);
    for (const label of ['first', 'second']) {
      await fill('Label', label);
      await press('Create the token');
      await says(`Copy the token “${label}” now`);
    }
    const titles = "[...document.querySelectorAll('section:has(> code) > h2')].map(({ innerText }) => innerText)";
    expect(await read(page, titles)).toEqual(['Copy the token “second” now', 'Copy the token “first” now']);
    await page.waitForSelector('section:has(> code):focus');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(async () => await read(page, titles)).toEqual(['Copy the token “first” now']);
    await page.waitForSelector('h1:focus');
    expect(faults).toEqual([]);
  });
});
