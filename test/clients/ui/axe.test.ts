import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers, signIn } from './open-ui.ts';
import { openPages } from './open-pages.ts';
import { pages } from './pages.ts';

describeWithChromium('all pages in a browser', () => {
  it('have no barrier that axe finds, in light and dark, wide and narrow', async () => {
    const { page, open } = await openPages();
    await open('/signin');
    const barriers: unknown[] = await findBarriers(page);
    await signIn(page);
    for (const [path] of pages) {
      await open(path);
      for (const scheme of ['light', 'dark'])
        for (const width of [1440, 320]) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          await page.setViewport({ width, height: 800 });
          for (const barrier of await findBarriers(page)) barriers.push([path, scheme, width, barrier]);
        }
    }
    expect(barriers).toEqual([]);
  });
});
