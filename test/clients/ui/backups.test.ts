import { expect, it, onTestFinished } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { rootUser, TestPlatform } from '../../support/platform/test-platform.ts';
import { createAcmeOrg } from '../../support/platform/acme.ts';
import { expectToFit, read } from './open-ui.ts';
import { operate } from './settings-fixture.ts';

describeWithChromium('the backups of a platform in a browser', () => {
  it('are encrypted for a key that is shown once, scheduled, written and restored', async () => {
    const platform = await TestPlatform.start();
    onTestFinished(async () => await platform.remove());
    const api = await platform.signInAsRoot();
    await createAcmeOrg(api);
    const page = await openChromium();
    const { press, fill, check, says, focusSays } = operate(page);
    await page.goto(`${platform.url}/signin?to=/settings/backups`);
    await page.locator('input[name=email]').fill(rootUser.email);
    await page.locator('input[name=password]').fill(rootUser.password);
    await page.locator('button[type=submit]').click();

    await says('Create the recovery key first');
    await press('Create the recovery key');
    await says('Copy the recovery key now');
    const recoveryKey = String(await read(page, "document.querySelector('section:focus code').innerText"));
    expect(recoveryKey).toMatch(/^AGE-SECRET-KEY-1/);
    await press('I have it');
    await says('Replace the recovery key');
    expect(await read(page, 'document.documentElement.outerHTML')).not.toContain(recoveryKey);

    await check('Back up on a schedule');
    await fill('Schedule', '61 3 * * *');
    await fill('Time zone', 'Asia/Tokyo', 'combobox');
    await press('Save');
    await focusSays('minute must not be "61"');
    await fill('Schedule', '30 3 1 1 *');
    await press('Save');
    await says('Saved.');
    expect(await api.get('/v1/backup/settings')).toMatchObject({
      schedule: { cron: '30 3 1 1 *', timeZone: 'Asia/Tokyo', paused: false },
      nextTimes: expect.arrayContaining([expect.stringMatching(/-12-31T18:30:00.000Z$/)]),
    });

    await press('Back up now');
    await page.waitForFunction("document.querySelector('main table')?.innerText.includes('Succeeded')");
    await api.post('/v1/orgs/acme/domains', { name: 'later.example', kind: 'external' });
    await fill('Recovery key', recoveryKey.slice(0, -1));
    await press('Check the archive');
    await focusSays('must be a recovery key');
    await fill('Recovery key', recoveryKey);
    await press('Check the archive');
    await says('This is what a restore would do');
    expect(await read(page, 'document.documentElement.outerHTML')).not.toContain(recoveryKey);
    await fill('Type restore to confirm', 'restore');
    await press('Start the restore');
    // Texts of the page say "restored" before it has ended, too.
    await page.waitForSelector('main p ::-p-text(Restored.)');
    await expect
      .poll(async () => await api.get('/v1/backup/restores'))
      .toMatchObject({ items: [{ status: { phase: 'Succeeded' } }] });
    expect(await api.get('/v1/orgs/acme/domains/later.example')).toMatchObject({ name: 'later.example' });
    await page.setViewport({ width: 320, height: 800 });
    await expectToFit(page, 320);
  });
});
