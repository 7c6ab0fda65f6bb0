import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { read, signIn } from './open-ui.ts';
import { openZoneUi, updateZone } from './zone-fixture.ts';

const path = '/acme/products/shop/zones/shop-prod';
const shop = { namespace: 'org-acme', name: 'shop' };

const fill = async (page: Page, name: string, text: string): Promise<void> => {
  const input = await page.waitForSelector(`input[name=${name}]`);
  await input?.click({ count: 3 });
  await page.keyboard.type(text);
};
const waitForText = async (page: Page, text: string): Promise<unknown> =>
  await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`);
/** Requests that these walks want to be refused, and the zone that is gone. */
const expected = [/status of (404|409|422)/];

describeWithChromium('the settings of a zone in a browser', () => {
  it('show what they would write, point at what is refused, and keep the edit when another person saves', async () => {
    const { page, faults, open, store } = await openZoneUi({ expected });
    await open(`${path}/settings`);
    await signIn(page);
    await fill(page, 'replicas', '4');
    await page.waitForFunction("document.querySelector('ins')?.innerText === '4'");
    expect(await read(page, "document.querySelector('del').innerText")).toBe('3');
    await waitForText(page, 'Was 3.');

    await fill(page, 'cpu', 'lots');
    await page.waitForSelector('input[name=cpu][aria-invalid=true]');
    await waitForText(page, 'must be cores');
    await waitForText(page, 'Nothing can be written with these settings.');
    await page.setViewport({ width: 390, height: 844 });
    const isSavedFirst = `document.querySelector('button[form=settings]').getBoundingClientRect().top <
      [...document.querySelectorAll('legend')].at(-1).getBoundingClientRect().top`;
    expect(await read(page, isSavedFirst), 'on a phone, what saves comes before what removes').toBe(true);
    await page.setViewport({ width: 1440, height: 900 });

    const product = await store.get(ProductKind, shop);
    const zones = product.spec.delivery.zones.map((zone) =>
      zone.name === 'shop-prod' ? { ...zone, replicas: 5, memory: '1Gi' } : zone,
    );
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones } } });
    await waitForText(page, 'Another person changed these settings');
    expect(
      await read(page, "[...document.querySelectorAll('section[role=alert] td')].map((cell) => cell.innerText)"),
    ).toEqual(['3', '5', '4', '512Mi', '1Gi', 'as theirs']);
    await page.locator('button ::-p-text(Keep mine)').click();
    await fill(page, 'cpu', '750m');
    await page.waitForFunction("[...document.querySelectorAll('ins')].some((one) => one.innerText.includes('750m'))");
    expect(await read(page, "document.querySelector('input[name=replicas]').value")).toBe('4');

    await page.type('#address-name', 'pay');
    await waitForText(page, 'The zone has this address.');
    await fill(page, 'replicas', '6');
    await page.locator('button:not([aria-disabled]) ::-p-text(Write to gitops)').click();
    await waitForText(page, 'Requested.');
    const saved = (await store.get(ProductKind, shop)).spec.delivery.zones.find(({ name }) => name === 'shop-prod');
    expect(saved).toMatchObject({ replicas: 6, cpu: '750m', memory: '1Gi', access: 'public' });
    expect(faults).toEqual([]);
  });

  it('say no longer what was refused once the edit is discarded', async () => {
    const { page, faults, open } = await openZoneUi({ expected });
    const errors = [{ pointer: '/spec/delivery/zones/1/replicas', detail: 'must be at most 3' }];
    const problem = { title: 'Validation failed', status: 422, reason: 'invalid', detail: 'Too many.', errors };
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (request.method() !== 'PUT' || request.url().includes('dryRun')) return void request.continue();
      void request.respond({ status: 422, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    });
    await open(`${path}/settings`);
    await signIn(page);
    await fill(page, 'replicas', '4');
    await page.locator('button:not([aria-disabled]) ::-p-text(Write to gitops)').click();
    await page.waitForSelector('input[name=replicas][aria-invalid=true]');
    await page.locator('button ::-p-text(Discard)').click();
    await page.waitForFunction("document.querySelector('input[name=replicas]').value === '3'");
    expect(await read(page, "document.querySelector('[aria-invalid=true], main [role=alert]')?.outerHTML")).toBe(
      undefined,
    );
    expect(faults).toEqual([]);
  });

  it('offer storage for Products made from a template or an archive, and where the zone has volumes', async () => {
    const { page, faults, open, store } = await openZoneUi({ expected });
    const archive = { sha256: 'ab'.repeat(32) };
    const sources = { imported: undefined, templated: { template: 'node-service' as const }, uploaded: { archive } };
    for (const [name, source] of Object.entries(sources)) {
      const repo = `acme/${name}`;
      await store.create(ProductKind, {
        metadata: { namespace: 'org-acme', name },
        spec: {
          repos: [repo],
          ...(source && { source: { repo, ...source } }),
          delivery: { zones: [{ name: `${name}-prod`, access: 'public' }] },
        },
      });
    }
    const listLegends = `[...document.querySelectorAll('#settings legend')].map((one) => one.innerText.split(' ')[0])`;
    const hasStorage = async (product: string): Promise<unknown> => {
      await open(`/acme/products/${product}/zones/${product}-prod/settings`);
      await page.waitForSelector(`h1 ::-p-text(Settings of ${product}-prod)`);
      await page.waitForSelector('#settings input[name=replicas]');
      return await read(page, `${listLegends}.includes('Storage')`);
    };
    await open('/acme');
    await signIn(page);
    expect({
      imported: await hasStorage('imported'),
      templated: await hasStorage('templated'),
      uploaded: await hasStorage('uploaded'),
      shop: await hasStorage('shop'),
    }).toEqual({ imported: false, templated: true, uploaded: true, shop: true });
    expect(faults).toEqual([]);
  });

  it('remove the zone after its name was typed, and show each step until it is gone', async () => {
    const { page, faults, open, store, signals } = await openZoneUi({ expected });
    await open(`${path}/settings`);
    await signIn(page);
    await page.locator('button ::-p-text(Remove shop-prod…)').click();
    await page.waitForSelector('[role=dialog] input[name=confirm]:focus');
    for (const fact of ['receipts (5Gi)', 'pay.tidewater.test becomes free', '3 pods'])
      expect(await read(page, "document.querySelector('[role=dialog]').innerText")).toContain(fact);
    await page.keyboard.type('shop-pro');
    await page.keyboard.press('Enter');
    await page.keyboard.type('d');
    await page.waitForSelector('[role=dialog] button[type=submit]:not([aria-disabled])');
    expect((await store.get(ProductKind, shop)).spec.delivery.zones).toHaveLength(2);
    await page.keyboard.press('Enter');
    await waitForText(page, 'This zone is being removed');
    // The SLOs no longer measure the zone, and its alerts end.
    await expect
      .poll(() => signals.map(({ signal }) => signal))
      .toEqual(['slosChanged', 'alertRulesChanged', 'removeZone']);
    const removal = { by: 'priya@example.com', since: new Date().toISOString(), message: 'removing' };
    await updateZone(store, (before) => ({
      ...before,
      removal: { ...removal, step: 'application', remaining: ['Deployment/shop-prod'] },
    }));
    await waitForText(page, 'Deployment/shop-prod');
    expect(await read(page, "document.querySelector('[aria-current=step]').innerText")).toContain(
      'deployed is deleted',
    );
    await updateZone(store, () => undefined);
    await waitForText(page, 'shop-prod was removed');

    await open('/acme/products/shop/zones/new');
    await page.waitForFunction("document.querySelector('input[name=name]')?.value === 'shop-prod'");
    await page.waitForFunction("document.querySelector('ins, table')?.closest('section').innerText.includes('access')");
    await fill(page, 'name', 'shop-rc');
    await waitForText(page, 'already has a zone named');
    await fill(page, 'name', 'shop-demo');
    await page.locator('::-p-aria([name="Cluster"][role="combobox"])').fill('apart');
    await page.waitForSelector('button[type=submit]:not([aria-disabled]) ::-p-text(Add shop-demo)');
    await page.locator('button[type=submit]').click();
    await page.waitForSelector('h1 ::-p-text(shop-demo)');
    expect((await store.get(ProductKind, shop)).spec.delivery.zones.at(-1)).toMatchObject({
      name: 'shop-demo',
      cluster: 'apart',
    });
    expect(faults).toEqual([]);
  });

  it('say that the zone is gone once its removal has ended', async () => {
    const { page, faults, open, store } = await openZoneUi({ expected });
    await open(`${path}/settings`);
    await signIn(page);
    await page.waitForSelector('#settings input[name=replicas]');
    const product = await store.get(ProductKind, shop);
    const zones = product.spec.delivery.zones.filter(({ name }) => name !== 'shop-prod');
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones } } });
    await waitForText(page, 'This zone is being removed');
    await updateZone(store, () => undefined);
    await waitForText(page, 'shop-prod was removed');
    expect(faults).toEqual([]);
  });
});
