import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, signIn } from './open-ui.ts';
import { operate } from './settings-fixture.ts';

describeWithChromium('the page of a request that failed, in a browser', () => {
  it('says why, also when its own styles cannot be loaded', async () => {
    const { page, faults, open } = await openUi({ expected: [/ERR_CONNECTION_RESET/] });
    await open('/signin');
    await signIn(page);
    await page.setRequestInterception(true);
    page.on(
      'request',
      (sent) =>
        void (/\/failure-[^/]*\.css|\/orgs\/acme\/domains/.test(sent.url())
          ? sent.abort('connectionreset')
          : sent.continue()),
    );
    await page.evaluate("history.pushState({}, '', '/acme/domains')");
    await operate(page).says('The connection to the server failed');
    await operate(page).says('This page cannot be shown');
    expect(faults).toEqual([]);
  });
});
