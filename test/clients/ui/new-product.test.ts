import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElementHandle, HTTPRequest } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { ProductScaffold } from '../../../src/rules/products/source.ts';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';
import { buildZip } from '../../support/build-zip.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openConnectedUi } from './codehost-fixture.ts';
import { findBarriers } from './find-barriers.ts';
import { read, signIn } from './open-ui.ts';

const ref = { namespace: 'org-acme', name: 'fresh' };
const at = '2026-11-19T13:00:00Z';

describeWithChromium('a new Product in a browser', () => {
  it('is made from an archive: refusals stand at their fields, and its page tells how it is made', async () => {
    const { page, faults, open, store, starts } = await openConnectedUi([/status of (409|422)/]);
    const folder = await createFolder();
    const files = { good: [{ name: 'index.html', content: '<h1>Hi</h1>' }], bad: [{ name: '../evil', content: 'x' }] };
    for (const [name, entries] of Object.entries(files))
      await writeFile(join(folder, `${name}.zip`), buildZip(entries));
    const record = async (scaffold: ProductScaffold): Promise<void> => {
      await store.updateStatus(ProductKind, ref, ({ status }) => ({ ...status, scaffold }));
    };

    await open('/acme');
    await signIn(page);
    await page.locator('main a ::-p-text(New Product)').click();
    await page.waitForSelector('h1:focus ::-p-text(New Product)');
    await page.locator('#from-archive').click();
    await page.locator('input[name=name]').fill('fresh');
    const archive = (await page.waitForSelector('input[type=file]')) as ElementHandle<HTMLInputElement>;
    await archive.uploadFile(join(folder, 'bad.zip'));
    await page.waitForSelector('input[type=file][aria-invalid=true]');
    expect(await read(page, 'document.body.innerText')).toContain('../evil');
    await archive.uploadFile(join(folder, 'good.zip'));
    await page.waitForSelector('[role=status] ::-p-text(become the first commit)');

    await page.locator('input[name=repo]').fill('acme/shop');
    await page.locator('button[type=submit]').click();
    await page.waitForSelector('input[name=repo][aria-invalid=true]:focus');
    expect(await read(page, 'document.body.innerText')).toContain('exists on the code host');
    expect(await read(page, "document.querySelector('input[name=name]').value")).toBe('fresh');
    expect(await findBarriers(page)).toEqual([]);
    await page.locator('input[name=repo]').fill('acme/fresh');
    await page.locator('button[type=submit]').click();

    await page.waitForSelector('h2 ::-p-text(This Product is being created)');
    expect(starts).toMatchObject([{ type: 'scaffoldProduct' }]);
    await record({ phase: 'Committing', message: 'The files are being committed to the repo.', startedAt: at });
    await page.waitForSelector('[aria-current=step] ::-p-text(First commit)');
    const failure = {
      reason: 'activity-failed' as const,
      message: 'The code host answered 500.',
      resource: 'Product fresh',
      fix: 'Fix the error above, then retry.',
      at,
    };
    await record({ phase: 'Failed', message: 'The Product has no first Release.', startedAt: at, failure });
    await page.waitForSelector('h2 ::-p-text(This Product could not be created)');
    expect(await read(page, 'document.body.innerText')).toContain('The code host answered 500.');
    await page.locator('button ::-p-text(Retry)').click();
    await expect.poll(() => starts.length).toBe(2);
    await record({ phase: 'CreatingRepo', message: 'The repo is being created.', startedAt: at });
    await page.waitForSelector('[aria-current=step] ::-p-text(Repo)');
    expect(faults).toEqual([]);
  });

  it('is made from the archive that was chosen last, whichever arrives last', async () => {
    const { page, open } = await openConnectedUi();
    const folder = await createFolder();
    const entry = { name: 'index.html', content: '<h1>Hi</h1>' };
    await writeFile(join(folder, 'first.zip'), buildZip([entry]));
    await writeFile(join(folder, 'second.zip'), buildZip([entry, { name: 'about.html', content: '<h1>About</h1>' }]));
    await open('/acme/products/new?from=archive');
    await signIn(page);
    const held: HTTPRequest[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (request.url().endsWith('/archives') && held.length === 0) held.push(request);
      else void request.continue();
    });
    const archive = (await page.waitForSelector('input[type=file]')) as ElementHandle<HTMLInputElement>;
    await archive.uploadFile(join(folder, 'first.zip'));
    await expect.poll(() => held.length).toBe(1);
    await archive.uploadFile(join(folder, 'second.zip'));
    await page.waitForSelector('[role=status] ::-p-text(2 files)');
    const arrived = page.waitForResponse((response) => response.request() === held[0]);
    await held[0]?.continue();
    await (await arrived).json();
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    expect(await read(page, "document.querySelector('[role=status]').innerText")).toMatch(/^2 files/);
  });
});
