import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElementHandle } from 'puppeteer-core';
import { expect, it, onTestFinished } from 'vitest';
import { createAcmeOrg, createProduct } from '../../support/platform/acme.ts';
import { rootUser, TestPlatform } from '../../support/platform/test-platform.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { operate } from './settings-fixture.ts';

const drawing = (content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${content}</svg>`;

/** Walks on a whole platform, because a logo is committed by a workflow and a run is one. */
async function walk(): Promise<void> {
  const platform = await TestPlatform.start();
  onTestFinished(async () => await platform.remove());
  const api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  await createProduct(platform, api, { name: 'shop' });
  const readLogo = async () =>
    (await api.get<{ status?: { logo?: { path: string; commit: string } } }>('/v1/orgs/acme/products/shop')).status
      ?.logo;
  const folder = await mkdtemp(join(tmpdir(), 'logos-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));

  const page = await openChromium();
  const { press, follow, fill, says } = operate(page);
  const choose = async (name: string, content: string): Promise<void> => {
    await writeFile(join(folder, name), drawing(content));
    const input = await page.waitForSelector('input[type=file]');
    await (input as ElementHandle<HTMLInputElement>).uploadFile(join(folder, name));
  };
  await page.goto(`${platform.url}/acme/products/shop`);
  await page.locator('input[name=email]').fill(rootUser.email);
  await page.locator('input[name=password]').fill(rootUser.password);
  await page.keyboard.press('Enter');

  await follow('Upload or suggest');
  await says('Choose a file or a suggestion first.');
  await choose('bad.svg', '<script>alert(1)</script>');
  await press('Use bad.svg');
  await page.waitForSelector('[role=dialog] [role=alert]');
  expect(await readLogo()).toBeUndefined();
  await choose('shop.svg', '<circle cx="32" cy="32" r="30"/>');
  await press('Use shop.svg');
  await says('The logo was saved.');
  const uploaded = await readLogo();
  expect(uploaded).toMatchObject({ path: 'logo.svg' });

  await follow('Replace or suggest');
  await press('Suggest ten logos');
  await page.waitForFunction("document.querySelectorAll('[role=dialog] input[type=radio]').length === 10");
  const areShown = "[...document.querySelectorAll('[role=dialog] img')].every((image) => image.naturalWidth > 0)";
  await page.waitForFunction(areShown);
  await page.locator('[role=dialog] label:has(input[type=radio])').click();
  await page.locator('[role=dialog] button ::-p-text(Use the)').click();
  await expect.poll(readLogo).not.toEqual(uploaded);

  await page.goto(`${platform.url}/acme/settings/workflows/change`);
  await press('Run now…');
  await says('Run change now');
  await fill('Instructions', 'Add a changelog');
  await press('Start the run');
  await page.waitForFunction("location.pathname.startsWith('/acme/changes/')");
  await page.waitForSelector('#decision button ::-p-text(Approve)', { timeout: 90_000 });
}

describeWithChromium('an org admin in a browser', () => {
  it('gives a Product a logo, and runs an AgentWorkflow now', walk);
});
