import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isExhaustive } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { signIn } from './open-ui.ts';
import { openPages } from './open-pages.ts';
import { pages } from './pages.ts';

const folder = join(import.meta.dirname, '../../../node_modules/.cache/ui-pictures/pages');

describeWithChromium('all pages in a browser', () => {
  it.runIf(isExhaustive)('are kept as pictures in light and dark, wide and narrow', async () => {
    const { page, open, faults } = await openPages();
    await mkdir(folder, { recursive: true });
    await open('/signin');
    await signIn(page);
    for (const [path] of pages) {
      await open(path);
      for (const width of [1440, 390])
        for (const scheme of ['light', 'dark']) {
          await page.emulateMediaFeatures([
            { name: 'prefers-color-scheme', value: scheme },
            { name: 'prefers-reduced-motion', value: 'reduce' },
          ]);
          await page.setViewport({ width, height: 900 });
          const name = `${path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '')}-${scheme}-${width}.png`;
          await page.screenshot({ path: join(folder, name) });
        }
    }
    expect(faults).toEqual([]);
  });
});
