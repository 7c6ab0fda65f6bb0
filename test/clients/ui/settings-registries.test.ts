import { expect } from 'vitest';
import { readRegistries, registriesSecretName } from '../../../src/rules/registries/registries-secret.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { itWithRegistry, startRegistry } from '../../support/servers/registry.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { makeOrgAdmin, operate } from './settings-fixture.ts';

describeWithChromium('the registries of an org in a browser', () => {
  itWithRegistry('an org admin connects a registry, gives it another password, and deletes it', async () => {
    const { host, setPassword } = await startRegistry();
    const judged = createTestDispatcher('127.0.0.1');
    const { page, faults, open, store } = await openUi({ expected: [/422/], judged });
    const { press, fill, says, focusSays } = operate(page);
    await page.setViewport({ width: 1440, height: 900 });
    await makeOrgAdmin(store);
    const readStored = async () =>
      readRegistries(await store.find(SecretKind, { namespace: 'org-acme', name: registriesSecretName }));
    await open('/acme/settings/registries');
    await signIn(page);
    await says('No registry yet');
    await fill('Name', 'images');
    await fill('Host', host);
    await fill('Repository prefix, optional', 'acme');
    await fill('Account', 'ada');
    await fill('Password or access token', 'battery-staple');
    await press('Check and connect');
    await focusSays('was rejected by the registry');
    expect(await readStored()).toEqual([]);
    await fill('Password or access token', 'correct-horse');
    await press('Check and connect');
    await says('Can pull and push');
    await says(`${host}/acme`);

    await setPassword('battery-staple');
    const focused = async () => await read(page, 'document.activeElement.textContent || document.activeElement.value');
    await press('Edit images');
    await expect.poll(focused).toBe(host);
    await press('Cancel');
    await expect.poll(focused).toBe('Edit');
    await press('Edit images');
    const edit = 'form[aria-label="Edit images"]';
    await page.locator(`${edit} button[type=submit]`).click();
    await focusSays('was rejected by the registry');
    await page.locator(`${edit} input[type=password]`).fill('battery-staple');
    await page.locator(`${edit} button[type=submit]`).click();
    await expect.poll(async () => (await readStored()).map(({ password }) => password)).toEqual(['battery-staple']);
    await page.waitForSelector(edit, { hidden: true });
    expect(String(await read(page, 'document.body.outerHTML')).includes('battery-staple')).toBe(false);

    await press('Delete images');
    await press('Delete');
    await says('No registry yet');
    expect(await readStored()).toEqual([]);
    expect(faults).toEqual([]);
  });
});
