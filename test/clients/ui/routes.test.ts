import { createRouter, type AnyRoute } from '@tanstack/react-router';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { read, signIn } from './open-ui.ts';
import { openPages } from './open-pages.ts';
import { pages } from './pages.ts';

/** Reads the paths of all pages from the routes of the UI, whose types need a browser. */
async function listRoutePaths(): Promise<string[]> {
  const module = '../../../src/clients/ui/routes.ts';
  const { routeTree } = (await import(module)) as { routeTree: AnyRoute };
  return Object.keys(createRouter({ routeTree }).routesByPath);
}

const toPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/?]+').replace(/(.)\/$/, '$1')}(\\?|$)`);

/** Sign-in and setup are pages of people who are not signed in; every page leads there. */
const isGate = (path: string): boolean => /^\/(signin|setup)$/.test(path);

describeWithChromium('the routes in a browser', () => {
  it('each have a row in the table of pages', async () => {
    const paths = await listRoutePaths();
    expect(paths.length).toBeGreaterThan(6);
    const missing = paths.filter((path) => !isGate(path) && !pages.some(([page]) => toPattern(path).test(page)));
    expect(missing).toEqual([]);
  });

  it('lead to a page with one heading, which a link focuses, its own title, and no request to another site', async () => {
    const { page, faults, open, follow } = await openPages();
    await open('/acme/changes?phase=Failed');
    expect(await read(page, 'location.pathname + location.search')).toBe(
      '/signin?to=%2Facme%2Fchanges%3Fphase%3DFailed',
    );
    await signIn(page);
    expect(await read(page, 'location.pathname + location.search')).toBe('/acme/changes?phase=Failed');
    const titles = new Map<string, string>();
    for (const [path, heading] of pages) {
      await follow(path);
      expect(await read(page, 'document.activeElement.innerText'), path).toBe(heading);
      expect(await read(page, "document.querySelectorAll('h1').length"), path).toBe(1);
      const title = String(await read(page, 'document.title'));
      expect(title, path).toContain(heading);
      titles.set(title, path);
      for (const width of [1440, 320]) {
        await page.setViewport({ width, height: 800 });
        expect(await read(page, 'document.documentElement.scrollWidth'), `${path} ${width}`).toBe(width);
      }
      expect(faults, path).toEqual([]);
    }
    expect(titles.size, 'every page has a title of its own').toBe(pages.length);
  });
});
