import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { evidenceFiles, keepEvidence } from './change-fixture.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { refuseRequests } from './refuse-requests.ts';
import { seedShop } from './seed-shop.ts';

const run = 'change-shop-418';
const text = `document.querySelector('main').innerText`;

describeWithChromium('the evidence of a Change in a browser', () => {
  it('shows each kind of file without running it, searches it, and goes to the next by key', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    const long = {
      id: 'long',
      name: 'long.txt',
      type: 'text/plain',
      content: `${'ä line of a log\n'.repeat(20_000)}the end`,
    };
    await keepEvidence(store, run, 'review-tests', [...evidenceFiles, long]);
    await open(`/acme/changes/${run}`);
    await signIn(page);
    await page.locator('summary ::-p-text(review-tests)').click();
    await page.locator('a ::-p-text(hold.svg)').click();
    await page.waitForFunction(`document.querySelector('figure img')?.naturalWidth === 40`);
    await page.waitForFunction(`${text}.includes('40 × 30')`);

    await page.keyboard.press(']');
    await page.waitForFunction(`document.querySelector('h1')?.innerText === 'vitest.txt'`);
    await page.waitForSelector('pre');
    expect(await read(page, `document.querySelector('pre').innerText`)).toContain(
      '✓ one test\n✓ another test\n<script>',
    );
    await page.locator('input[type=search]').fill('TEST');
    await page.waitForFunction(`document.querySelectorAll('mark').length === 2`);
    expect(await read(page, text)).toContain('2 hits');
    expect(await read(page, 'location.search')).toBe('?q=TEST');

    await open(`/acme/changes/${run}/evidence/json`);
    await page.locator('summary ::-p-text(hold)').click();
    await page.waitForFunction(`${text}.includes('40')`);
    await page.keyboard.press(']');
    await page.waitForFunction(`${text}.includes('1 passed, 1 failed')`);
    expect(await read(page, text)).toContain('expected 1 to be 2 <script>');

    await page.keyboard.press(']');
    await page.waitForFunction(`${text}.includes('Files of the type application/zip are not shown here.')`);
    expect(await read(page, `document.querySelector('a[download]').getAttribute('href')`)).toBe(
      '/api/v1/orgs/acme/artifacts/page',
    );

    // A long file is read by parts, the search reads all of it, and no character breaks where a part ends.
    await open(`/acme/changes/${run}/evidence/long`);
    await page.waitForSelector('button ::-p-text(Show more)');
    await page.locator('input[type=search]').fill('the end');
    await page.waitForFunction(`${text}.includes('1 hit')`);
    expect(await read(page, `document.querySelector('pre').textContent.includes('\\ufffd')`)).toBe(false);

    await open(`/acme/changes/${run}/evidence/none`);
    expect(await read(page, text)).toContain('This does not exist');
    expect(faults).toEqual([]);
  });

  it.each([
    ['a JSON document', 'big.json', 'application/json', ''],
    ['a text that is searched', 'big.txt', 'text/plain', '?q=39999'],
  ])('reads %s on after a failure only when a person asks for it', async (_, name, type, search) => {
    const { page, faults, open, store } = await openUi({ expected: [/status of 404/] });
    await seedShop(store);
    const content = JSON.stringify(Array.from({ length: 40_000 }, (_value, index) => index));
    await keepEvidence(store, run, 'review-tests', [{ id: 'big', name, type, content }]);
    const isLaterPart = (range = 'bytes=0-'): boolean => !range.startsWith('bytes=0-');
    const { refused, stop } = await refuseRequests(
      page,
      (request) => request.url().includes('/artifacts/big') && isLaterPart(request.headers()['range']),
    );
    await open(`/acme/changes/${run}/evidence/big${search}`);
    await signIn(page);
    // Everything that failed is read once more when the stream of changes begins.
    await page.waitForSelector('aside ::-p-text(Live)');
    await page.waitForSelector('[role=alert] ::-p-text(The file was replaced.)');
    await pause(2_000);
    expect(refused.length).toBeLessThanOrEqual(3);
    stop();
    await page.locator('main button ::-p-text(Try again)').click();
    await page.waitForFunction(`${text}.includes('${search === '' ? '[40000]' : '1 hit'}')`);
    expect(faults).toEqual([]);
  });
});
