import { createRouter, type AnyRoute } from '@tanstack/react-router';
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { OrgName, ProductName, ZoneName } from '../../../src/rules/names.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { expectToFit, read, signIn } from './open-ui.ts';
import { openPages } from './open-pages.ts';
import { pages } from './pages.ts';
import { rootEmail } from './ui-fixture.ts';

/** Reads the paths of all pages from the routes of the UI, whose types need a browser. */
async function listRoutePaths(): Promise<string[]> {
  const module = '../../../src/clients/ui/routes.ts';
  const { routeTree } = (await import(module)) as { routeTree: AnyRoute };
  return Object.keys(createRouter({ routeTree }).routesByPath);
}

const toPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/?]+').replace(/(.)\/$/, '$1')}(\\?|$)`);

/** Pages that are no page of the table, because they are not for a part of an org: the setup, and one that does not exist. */
const further: [path: string, heading: string][] = [
  ['/setup?step=root', 'The root user exists'],
  ['/acme/nowhere/to/be/found', 'This page does not exist'],
];
const table = [...pages, ...further];

/** Follows a link of the page if there is one, or else a link as another page could have it. */
async function followLink(page: Page, path: string): Promise<void> {
  await page.evaluate(`(() => {
    document.activeElement.blur();
    const link = document.querySelector('a[href="${path}"]');
    if (link) link.click();
    else history.pushState({}, '', '${path}');
  })()`);
  await page.waitForFunction(`location.pathname + location.search === '${path}' && document.querySelector('h1:focus')`);
}

describeWithChromium('the routes in a browser', () => {
  it('each have a row in the table of pages', async () => {
    const paths = await listRoutePaths();
    expect(paths.length).toBeGreaterThan(6);
    const missing = paths.filter((path) => path !== '/signin' && !table.some(([page]) => toPattern(path).test(page)));
    expect(missing).toEqual([]);
  });

  it('leave no name of an org, Product or zone without a page', async () => {
    const paths = (await listRoutePaths()).map((path) => path.split('/').slice(1));
    const names = { $org: OrgName, $product: ProductName, $zone: ZoneName };
    const conflicts = Object.entries(names).flatMap(([parameter, Name]) =>
      paths.flatMap((path) => {
        const at = path.indexOf(parameter);
        const siblings = paths.filter((other) => at !== -1 && other.slice(0, at).join() === path.slice(0, at).join());
        return siblings.map((other) => other[at] ?? '').filter((name) => Name.safeParse(name).success);
      }),
    );
    expect([...new Set(conflicts)]).toEqual([]);
  });

  it('lead root to a page with one heading, which a link focuses, its own title, and no request to another site', async () => {
    const { page, faults, open } = await openPages();
    await open('/acme/changes?phase=Failed');
    expect(await read(page, 'location.pathname + location.search')).toBe(
      '/signin?to=%2Facme%2Fchanges%3Fphase%3DFailed',
    );
    const readHead = async (path: string, heading: string): Promise<string> => {
      expect(await read(page, "[...document.querySelectorAll('h1')].map((one) => one.innerText)"), path).toEqual([
        heading,
      ]);
      const title = String(await read(page, 'document.title'));
      expect(title, path).toContain(heading);
      return title;
    };
    const titles = new Set([await readHead('/signin', 'Sign in')]);
    await signIn(page, rootEmail);
    expect(await read(page, 'location.pathname + location.search')).toBe('/acme/changes?phase=Failed');
    for (const [path, heading] of table) {
      await followLink(page, path);
      titles.add(await readHead(path, heading));
      for (const width of [1440, 320]) {
        await page.setViewport({ width, height: 800 });
        await expectToFit(page, width, path);
      }
      expect(faults, path).toEqual([]);
    }
    expect(titles.size, 'every page has a title of its own').toBe(table.length + 1);
  });
});
