import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { read, signIn } from './open-ui.ts';
import { openZoneUi, updateZone } from './zone-fixture.ts';

const path = '/acme/products/shop/zones/shop-prod';

describeWithChromium('the page of a zone in a browser', () => {
  it('shows what runs and what it waits for, freezes with a reason, and shows a failure with its fix', async () => {
    const { page, faults, open, store, updates } = await openZoneUi();
    await open(path);
    await signIn(page);
    await page.waitForFunction("document.querySelectorAll('figure canvas').length === 4");
    // The objectives arrive apart from the usage.
    for (const fact of [
      '3 of 3 ready',
      'v1.1.0 waits for a person',
      'OOMKilling',
      'the restart of b2lzn',
      'Budget left 71 % and 88 %',
    ])
      await page.waitForFunction(`document.body.innerText.includes('${fact}')`);
    const label = String(await read(page, "document.querySelector('figure [role=img]').ariaLabel"));
    expect(label).toMatch(/^CPU in cores\. reserved 0\.5 cores\. 7c9d8-4xkqp: mean 0\.\d\d, highest 0\.\d\d\./);
    await page.locator('a ::-p-text(6 hours)').click();
    await page.waitForFunction("location.search === '?hours=6'");

    await page.locator('button ::-p-text(Freeze…)').click();
    const freeze = await page.waitForSelector('[role=dialog] button[type=submit]');
    expect(await freeze?.evaluate((button) => button.getAttribute('aria-disabled'))).toBe('true');
    await page.type('[role=dialog] input[name=reason]', 'Holiday sailings');
    await page.keyboard.press('Enter');
    await expect.poll(() => updates.length, { timeout: 60_000 }).toBe(1);
    expect(updates[0]?.args[0]).toMatchObject({ reason: 'Holiday sailings', by: 'priya@example.com' });
    await updateZone(store, (before) => ({
      ...before,
      freeze: { reason: 'Holiday sailings', by: 'priya@example.com', since: new Date().toISOString() },
      failure: {
        reason: 'smoke-check-failed',
        message: 'The smoke check failed.',
        resource: 'http://shop-prod.localhost:8081',
        fix: 'Fix the app, then promote again.',
        at: new Date().toISOString(),
      },
    }));
    await page.waitForSelector('button ::-p-text(Unfreeze)');
    const frozen = String(await read(page, 'document.body.innerText'));
    for (const fact of ['Frozen: Holiday sailings', 'The last promotion to shop-prod failed', 'Fix the app'])
      expect(frozen).toContain(fact);

    await page.waitForSelector('button:focus ::-p-text(Unfreeze)');
    await page.keyboard.press('Enter');
    await expect.poll(() => updates.length).toBe(2);
    await updateZone(store, ({ freeze: _ended, ...rest }) => rest);
    await page.waitForSelector('button:focus ::-p-text(Freeze…)');
    expect(faults).toEqual([]);
  });

  it('searches the logs of 5 pods with true counts, follows until the reader scrolls, and downloads what it shows', async () => {
    const { page, faults, open, logs } = await openZoneUi({ pods: 5, linesPerPod: 2_000 });
    const all = [...logs.values()].flat();
    await open(`${path}?tab=logs&lines=1000`);
    await signIn(page);
    const rows = "document.querySelectorAll('[role=region] > div').length";
    await page.waitForFunction(`${rows} === 5000`);
    const distance =
      "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('[role=region]'))";
    await page.waitForFunction(`${distance} < 24`);

    await page.evaluate("document.querySelector('[role=region]').scrollTop = 300");
    await page.waitForSelector('button[aria-keyshortcuts=f][aria-pressed=false]');
    await page.keyboard.press('f');
    await page.waitForFunction(`${distance} < 24`);
    await page.keyboard.press('w');
    await page.waitForFunction("location.search.includes('wrap=true')");

    await page.keyboard.press('/');
    await page.keyboard.type('hold');
    const found = all.filter(({ text }) => text.includes('hold')).length;
    await page.waitForFunction(`document.body.innerText.includes('${found.toLocaleString('en')} lines found')`);
    await page.waitForFunction(`${rows} === ${found}`);
    expect(await read(page, "document.querySelector('[role=region] mark').textContent")).toBe('hold');
    await page.waitForFunction("location.search.includes('contains=hold')");

    await page.evaluate(
      'URL.createObjectURL = (blob) => { blob.text().then((text) => { window.downloaded = text; }); return "#"; }',
    );
    await page.locator('button ::-p-text(Download)').click();
    await page.waitForFunction('window.downloaded !== undefined');
    const downloaded = String(await read(page, 'window.downloaded'))
      .trimEnd()
      .split('\n');
    expect(downloaded).toHaveLength(found);
    expect(downloaded.every((line) => /^\S+Z shop-prod-\S+ POST \/api\/holds/.test(line))).toBe(true);

    await page.evaluate("document.querySelector('[role=region] a').click()");
    await page.waitForFunction("location.search.includes('line=')");
    await page.reload();
    await page.waitForSelector('[role=region] [aria-current=true]');

    await page.locator('button ::-p-text(Previous container)').click();
    await page.waitForFunction("document.body.innerText.includes('No line contains')");
    await open(`${path}?tab=logs&previous=true`);
    await page.waitForFunction("document.body.innerText.includes('before its restart')");
    expect(faults).toEqual([]);
  });
});
