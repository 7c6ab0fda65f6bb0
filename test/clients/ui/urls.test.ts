import { createRouter, type AnyRoute } from '@tanstack/react-router';
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import { sample } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { seedChangePages } from './change-fixture.ts';
import { read, settle, signIn } from './open-ui.ts';
import { makePlatformAdmin, operate, seedSettings } from './settings-fixture.ts';
import { viewControls, type ViewControl } from './view-controls.ts';
import { openZoneUi } from './zone-fixture.ts';

const namespace = 'org-acme';

/** Reads the search parameters of all routes of the UI, by the path of the route. */
async function listParameters(): Promise<string[]> {
  const module = '../../../src/clients/ui/routes.ts';
  const { routeTree } = (await import(module)) as { routeTree: AnyRoute };
  const routes = createRouter({ routeTree }).routesByPath as Record<string, AnyRoute>;
  return Object.entries(routes).flatMap(([path, { options }]) => {
    const names = new Set<string>();
    const probe = new Proxy({}, { get: (_, name) => void names.add(String(name)) });
    (options.validateSearch as ((search: object) => unknown) | undefined)?.(probe);
    return [...names].map((name) => `${path} ${name}`);
  });
}

/** Opens the UI with enough of everything, so that each control of a view is shown. */
async function openFullUi() {
  const ui = await openZoneUi({ expected: [/\/models/] });
  const { store, shop } = ui;
  await seedChangePages(store, shop);
  await seedSettings(store);
  await makePlatformAdmin(store);
  const { spec, metadata } = await store.get(ProductKind, { namespace, name: 'shop' });
  await store.replace(ProductKind, {
    ...(await store.get(ProductKind, metadata)),
    spec: { ...spec, repos: ['acme/shop', 'acme/gitops'] },
  });
  for (const index of Array.from({ length: 60 }).keys()) {
    const name = `many-${index}`;
    await store.create(ProductKind, {
      metadata: { namespace, name },
      spec: { repos: [`acme/${name}`], delivery: { zones: [] } },
    });
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name, labels: { [runLabel]: name } },
      spec: { agentWorkflow: 'change', product: name, startedBy: 'hanne@example.com', steps: [], roles: {} },
    });
  }
  const headers = { authorization: `token ${shop.codehost.userToken}` };
  for (const repo of ['shop', 'gitops']) {
    const body = JSON.stringify({ title: `Tide tables of ${repo}`, labels: ['sea'] });
    await fetch(`${shop.codehost.apiUrl}/repos/acme/${repo}/issues`, { method: 'POST', headers, body });
  }
  return ui;
}

/** All that a person sees of a view: its words without times, the values of its fields and which control is on. */
const viewOf = `(() => {
  const mask = (text) => text.replace(/\\d+ ?(ms|s|min|h|d)\\b( ago)?|just now|\\d+:\\d\\d(:\\d\\d([.]\\d+)?)?/g, '#');
  const words = [...document.querySelectorAll('main, [role=dialog]')].map((one) => mask(one.innerText));
  const values = [...document.querySelectorAll('input, select, textarea')].map((one) =>
    /^(checkbox|radio)$/.test(one.type) ? one.checked : one.value,
  );
  const on = '[aria-pressed=true], [aria-current], [aria-selected=true], [data-on], details[open] > summary';
  return { words, values, on: [...document.querySelectorAll(on)].map((one) => mask(one.innerText)) };
})()`;

const timeout = 60_000;

type Sessions = { page: Page; fresh: Page; show: (path: string) => Promise<void> };

/** Uses a control, opens the address that it makes in another session, and goes back. */
async function walk({ name, path, act }: ViewControl, { page, fresh, show }: Sessions): Promise<void> {
  await show(path);
  await settle(page, viewOf);
  const before = await read(page, viewOf);
  const address = page.url();
  await act(operate(page), page);
  await expect.poll(() => new URL(page.url()).searchParams.has(name), { timeout }).toBe(true);
  await settle(page, viewOf);
  const shown = await read(page, viewOf);
  await fresh.goto(page.url());
  await fresh.waitForSelector('h1');
  await expect.poll(async () => await read(fresh, viewOf), { timeout }).toEqual(shown);
  await page.goBack();
  await expect.poll(() => page.url(), { timeout }).toBe(address);
  await expect.poll(async () => await read(page, viewOf), { timeout }).toEqual(before);
}

describeWithChromium('the address of a page', () => {
  it('has a control for each of its search parameters that the walk below uses', async () => {
    const walked = viewControls.map(({ route, name }) => `${route} ${name}`);
    // These are of links that lead here: of a tool, of the page that asked to sign in, and of the wizard.
    const led = ['/device code', '/signin to', '/setup step'];
    expect((await listParameters()).toSorted()).toEqual([...walked, ...led].toSorted());
  });

  it('names each view: a fresh session shows the same by it, and Back undoes it', async () => {
    const { page, faults, open, show, url } = await openFullUi();
    await open('/');
    await signIn(page);
    const context = await page.browser().createBrowserContext();
    const fresh = await context.newPage();
    for (const one of [page, fresh]) one.setDefaultTimeout(timeout);
    await fresh.setViewport({ width: 1440, height: 900 });
    await fresh.goto(url);
    await signIn(fresh);
    const failed: unknown[] = [];
    for (const control of sample(viewControls, 8))
      await walk(control, { page, fresh, show }).catch((error: unknown) => {
        failed.push([control.route, control.name, error]);
      });
    expect(failed).toEqual([]);
    expect(faults).toEqual([]);
  });
});
