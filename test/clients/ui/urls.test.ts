import { createRouter, type AnyRoute } from '@tanstack/react-router';
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import { sample } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { seedChangePages } from './change-fixture.ts';
import { read, signIn } from './open-ui.ts';
import { watchWork } from './page-work.ts';
import { seedAudit } from './seed-audit.ts';
import { seedManyIncidents } from './seed-incidents.ts';
import { makePlatformAdmin, operate, seedSettings } from './settings-fixture.ts';
import { viewControls, type ViewControl } from './view-controls.ts';
import { viewOf } from './view-of.ts';
import { openZoneUi } from './zone-fixture.ts';
import { pages } from './pages.ts';

const namespace = 'org-acme';
const dayMs = 24 * 60 * 60_000;
const yesterday = new Date(Date.now() - dayMs).toISOString();
const finished = { phase: 'Succeeded', startedAt: yesterday, finishedAt: yesterday } as const;

/** Reads the search parameters of all routes of the UI, by the path of the route. */
async function listParameters(): Promise<string[]> {
  const module = '../../../src/clients/ui/routes.ts';
  const { routeTree } = (await import(module)) as { routeTree: AnyRoute };
  const routes = createRouter({ routeTree }).routesByPath as Record<string, AnyRoute>;
  return Object.entries(routes).flatMap(([path, { options }]) => {
    const names = new Set<string>();
    const validate = options.validateSearch as ((search: object) => unknown) | undefined;
    // A route may read a parameter only when another one has a value.
    for (const value of [undefined, true, 2, 'logs'])
      validate?.(
        new Proxy(
          {},
          {
            get: (_, name) => {
              names.add(String(name));
              return value;
            },
          },
        ),
      );
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
    await store.updateStatus(AgentWorkflowRunKind, { namespace, name }, () => ({ ...finished, steps: [] }));
  }
  await seedManyIncidents(store, 60);
  await seedAudit(store, 60);
  const headers = { authorization: `token ${shop.codehost.userToken}` };
  for (const repo of ['shop', 'gitops']) {
    const body = JSON.stringify({ title: `Tide tables of ${repo}`, labels: ['sea'] });
    await fetch(`${shop.codehost.apiUrl}/repos/acme/${repo}/issues`, { method: 'POST', headers, body });
  }
  return ui;
}

/** The controls of a page that narrow or change what it shows; those of a form belong to what is typed there. */
const controlsOf = `[...document.querySelectorAll(
  'main :is(button[aria-pressed], select, input[type=search])',
)].filter((one) => !one.closest('form:not([role=search]), [role=dialog]') &&
  !one.matches('[role=group] > [aria-pressed=true], :disabled'))`;
const nameOf = `(one) => one.ariaLabel ?? one.labels?.[0]?.innerText ?? one.innerText`;

/** Controls that change no view: a log is followed until it is scrolled. */
const others = ['Following', 'Follow', 'Pause'];

/** Uses the control of the page with this name, in the way that a person does. */
const use = (name: string): string => `(() => {
  const one = ${controlsOf}.find((each) => (${nameOf})(each) === ${JSON.stringify(name)});
  if (one.matches('button')) return one.click();
  const value = one.matches('select') ? [...one.options].find((option) => !option.selected)?.value : 'sea';
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(one), 'value').set.call(one, value);
  one.dispatchEvent(new Event(one.matches('select') ? 'change' : 'input', { bubbles: true }));
})()`;

const timeout = 60_000;

type Sessions = { page: Page; fresh: Page; show: (path: string) => Promise<void>; complete: () => Promise<void> };

/** Uses a control, opens the address that it makes in another session, and goes back. */
async function walk({ name, path, act }: ViewControl, { page, fresh, show, complete }: Sessions): Promise<void> {
  await show(path);
  await complete();
  const before = await read(page, viewOf);
  const address = page.url();
  await act(operate(page), page);
  await expect.poll(() => new URL(page.url()).searchParams.has(name), { timeout }).toBe(true);
  await complete();
  const shown = await read(page, viewOf);
  await fresh.goto(page.url());
  await fresh.waitForSelector('h1');
  await expect.poll(async () => await read(fresh, viewOf), { timeout }).toEqual(shown);
  await page.goBack();
  await expect.poll(() => page.url(), { timeout }).toBe(address);
  // The browser restores the scroll position, and leaves out what is far from it.
  await page.evaluate('scrollTo(0, 0)');
  await expect.poll(async () => await read(page, viewOf), { timeout }).toEqual(before);
}

describeWithChromium('the address of a page', () => {
  it('has a control for each of its search parameters that the walk below uses', async () => {
    const walked = viewControls.map(({ route, name }) => `${route} ${name}`);
    // These are of links that lead here: of a tool, of the page that asked to sign in, and of the wizard.
    const led = ['/device code', '/signin to', '/setup step'];
    expect((await listParameters()).toSorted()).toEqual([...walked, ...led].toSorted());
  });

  it('changes with each control that changes a view', async () => {
    const { page, open, show } = await openFullUi();
    const complete = await watchWork(page);
    await open('/');
    await signIn(page);
    const silent: string[] = [];
    const opened = viewControls.map(({ path }) => path);
    for (const path of sample([...new Set([...pages.map(([one]) => one), ...opened])], 8)) {
      await show(path);
      await complete();
      const names = (await read(page, `${controlsOf}.map(${nameOf})`)) as string[];
      const address = page.url();
      for (const name of names.filter((one) => !others.includes(one))) {
        await page.evaluate(use(name));
        const isNamed = `location.href !== ${JSON.stringify(address)}`;
        await page.waitForFunction(isNamed, { timeout }).catch(() => silent.push(`${path} ${name}`));
        await show(path);
        await complete();
      }
    }
    expect(silent).toEqual([]);
  });

  it('names each view: a fresh session shows the same by it, and Back undoes it', async () => {
    const { page, faults, open, show, url } = await openFullUi();
    const complete = await watchWork(page);
    await open('/');
    await signIn(page);
    const context = await page.browser().createBrowserContext();
    const fresh = await context.newPage();
    await fresh.setViewport({ width: 1440, height: 900 });
    await fresh.goto(url);
    await signIn(fresh);
    const failed: unknown[] = [];
    for (const control of sample(viewControls, 8))
      await walk(control, { page, fresh, show, complete }).catch((error: unknown) => {
        failed.push([control.route, control.name, error]);
      });
    expect(failed).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('names the Product that a list is narrowed to, also when it was deleted', async () => {
    const { page, faults, open, follow, store } = await openZoneUi();
    await open('/acme/changes?product=gone');
    await signIn(page);
    const chosen = `document.querySelector('main select:has([value=""])')?.selectedOptions[0].innerText`;
    // An org with one Product has no other choice.
    await expect.poll(async () => await read(page, chosen)).toBe('gone');
    await store.create(ProductKind, {
      metadata: { namespace, name: 'site' },
      spec: { repos: ['acme/site'], delivery: { zones: [] } },
    });
    await follow('/acme/incidents?product=gone');
    await expect.poll(async () => await read(page, chosen)).toBe('gone');
    expect(faults).toEqual([]);
  });
});
