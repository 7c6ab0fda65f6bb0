import { expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openConnectedUi, seedTill } from './codehost-fixture.ts';
import { findBarriers } from './find-barriers.ts';
import { read, signIn } from './open-ui.ts';

const registry = {
  name: 'images',
  host: 'registry.example.com',
  repositoryPrefix: 'acme',
  username: 'ada',
  password: 'correct-horse',
  lastCheck: { access: 'pull-and-push' as const, at: '2026-11-25T08:00:00.000Z' },
};
const ref = { namespace: 'org-acme', name: 'till' };

describeWithChromium('the settings of a Product in a browser', () => {
  it('show another person’s change next to what was typed, save both, and delete by the typed name', async () => {
    const { page, faults, open, store, push } = await openConnectedUi();
    const one = await push('one');
    await seedTill(store, { one, two: one, three: one });
    await store.create(SecretKind, {
      metadata: { namespace: ref.namespace, name: registriesSecretName },
      type: 'Opaque',
      data: toRegistriesData([registry]),
    });
    await open('/acme/products/till/settings');
    await signIn(page);

    await page.waitForSelector('button[aria-disabled=true] ::-p-text(Review the changes)');
    // Neither zone says who can open it.
    expect(
      await read(page, "[...document.querySelectorAll('select')].map((one) => one.selectedOptions[0].text)"),
    ).toEqual([
      'Automatically',
      'Public',
      'After approval',
      'Public',
      'The registry of the installation',
      'People who are signed in',
    ]);
    expect(await read(page, "document.querySelector('tbody th a').getAttribute('href')")).toBe(
      '/acme/products/till/zones/till-rc/settings',
    );
    const title = await page.waitForSelector('input[value=Till]');
    await title?.type(' of the ferry');
    const product = await store.get(ProductKind, ref);
    const theirs = { ...product.spec, displayName: 'Cash till', description: 'Sells coffee.' };
    await store.replace(ProductKind, { ...product, spec: theirs });
    await page.waitForSelector('[role=alert] ::-p-text(Another person saved this)');
    const conflict = String(await read(page, "document.querySelector('section[role=alert]').innerText"));
    for (const text of ['Cash till', 'Till of the ferry', 'Sells coffee.']) expect(conflict).toContain(text);
    expect(await findBarriers(page)).toEqual([]);
    await page.locator('button ::-p-text(Keep mine)').click();
    await page.locator('button ::-p-text(Review the changes)').click();
    await page.waitForSelector('[role=status] ::-p-text(No file of the gitops repo changes)');
    await page.locator('button ::-p-text(Save the settings)').click();
    await page.waitForSelector('[role=status] ::-p-text(Saved)');
    expect((await store.get(ProductKind, ref)).spec).toMatchObject({
      displayName: 'Till of the ferry',
      description: 'Sells coffee.',
    });

    await page.locator('option ::-p-text(images, registry.example.com/acme)').wait();
    await page.locator('::-p-aria([name="Registry"][role="combobox"])').fill('images');
    await page.locator('button ::-p-text(Review the changes)').click();
    await page.locator('button ::-p-text(Save the settings)').click();
    await expect.poll(async () => (await store.get(ProductKind, ref)).spec.delivery.registry).toBe('images');

    await page.locator('::-p-aria([name="Who can read the status page"][role="combobox"])').fill('public');
    await page.locator('::-p-aria([name="Zones on the status page, one a line"])').fill('till-rc\ntill-prod');
    await page.locator('button ::-p-text(Review the changes)').click();
    await page.locator('button ::-p-text(Save the settings)').click();
    await page.waitForSelector('a[href="/status/acme/till"] ::-p-text(Public status page)');
    expect((await store.get(ProductKind, ref)).spec.statusPage).toEqual({
      public: true,
      zones: ['till-rc', 'till-prod'],
    });

    await page.locator('a ::-p-text(Delete till)').click();
    await page.waitForSelector('[role=dialog] button[aria-disabled=true] ::-p-text(Delete till)');
    await page.locator('#delete-name').fill('till');
    await page.waitForSelector('[role=dialog] button:not([aria-disabled]) ::-p-text(Delete till)');
    expect(faults).toEqual([]);
  });
});
