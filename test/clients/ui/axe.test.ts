import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { signIn } from './open-ui.ts';
import { openPages } from './open-pages.ts';
import { pages } from './pages.ts';

const views: [scheme: string, width: number][] = [
  ['light', 1440],
  ['dark', 320],
];

describeWithChromium('all pages in a browser', () => {
  it('have no barrier that axe finds, in light and wide, and in dark and narrow', async () => {
    const { page, open } = await openPages();
    await open('/signin');
    const barriers: unknown[] = await findBarriers(page);
    await signIn(page);
    for (const [path] of pages) {
      await open(path);
      for (const [scheme, width] of views) {
        // A colour that still changes to that of the other scheme is no barrier.
        await page.emulateMediaFeatures([
          { name: 'prefers-color-scheme', value: scheme },
          { name: 'prefers-reduced-motion', value: 'reduce' },
        ]);
        await page.setViewport({ width, height: 800 });
        for (const barrier of await findBarriers(page)) barriers.push([path, scheme, width, barrier]);
      }
    }
    expect(barriers).toEqual([]);
  });
});
