import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers, openUi, read, signIn } from './open-ui.ts';
import { pages } from './pages.ts';
import { seedShop } from './ui-fixture.ts';

describeWithChromium('all pages in a browser', () => {
  it('leads to the sign-in page and back, and each page is titled, accessible and asks only its own site', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    await open('/acme/changes?phase=Failed');
    expect(await read(page, 'location.pathname + location.search')).toBe(
      '/signin?to=%2Facme%2Fchanges%3Fphase%3DFailed',
    );
    expect(await findBarriers(page)).toEqual([]);
    await signIn(page);
    expect(await read(page, 'location.pathname + location.search')).toBe('/acme/changes?phase=Failed');
    for (const [path, heading] of pages) {
      for (const [scheme, width] of [
        ['light', 1440],
        ['dark', 320],
      ] as const) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.setViewport({ width, height: 800 });
        await open(path);
        expect(await read(page, "[...document.querySelectorAll('h1')].map((one) => one.innerText).join()")).toBe(
          heading,
        );
        expect(await read(page, 'document.title')).toContain(heading);
        expect(await read(page, 'document.documentElement.scrollWidth'), path).toBe(width);
        expect(await findBarriers(page), `${path} ${scheme} ${width}`).toEqual([]);
      }
    }
    expect(faults).toEqual([]);
  });
});
