import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { isExhaustive, sample, testSeed } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { readSources } from '../../support/source-tree.ts';
import { findBarriers } from './find-barriers.ts';
import { read, signIn } from './open-ui.ts';
import { openPages } from './open-pages.ts';
import { overlays, sameOverlays, type Overlay } from './overlays.ts';
import { watchWork } from './page-work.ts';
import { createStateOpener, pageStates } from './page-states.ts';
import { pages } from './pages.ts';

/** The setup is a page of its own for everybody who is signed in. */
const setup = ['root', 'domain', 'metrics', 'org', 'codehost', 'models', 'product'].map(
  (step) => `/setup?step=${step}`,
);
const paths = [...pages.map(([path]) => path), ...setup];
type View = { scheme: string; width: number; onlyLooks?: boolean };
const views: View[] = isExhaustive
  ? [1440, 320].flatMap((width) => [
      { scheme: 'light', width },
      { scheme: 'dark', width, onlyLooks: true },
    ])
  : [
      { scheme: 'light', width: 1440 },
      { scheme: 'dark', width: 320 },
    ];

/** Compares pages by their elements: in most states, many pages differ in a few words only. */
const structure = `(() => {
  const copy = document.body.cloneNode(true);
  const texts = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(/\\w+/g, 'w');
  return copy.innerHTML.replace(/ (href|id|for|title|style|value|d|aria-(current|labelledby|describedby|label))="[^"]*"/g, '');
})()`;

/** Finds the barriers of what is shown in each theme and width; `number` counts what was shown before. */
async function findInViews(page: Page, where: string, number: number, undecided = 'html'): Promise<unknown[]> {
  const barriers: unknown[] = [];
  for (const [index, { scheme, width, onlyLooks = false }] of views.entries()) {
    // A sample runs all rules in one of its two views, and those that depend on the view in both.
    const isPartial = onlyLooks || (!isExhaustive && index !== number % 2);
    // A colour that still changes to that of the other scheme is no barrier.
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    await page.setViewport({ width, height: 800 });
    for (const barrier of await findBarriers(page, { undecided, onlyLooks: isPartial }))
      barriers.push([where, scheme, width, barrier]);
  }
  return barriers;
}

describeWithChromium('all pages in a browser', () => {
  const cases = pageStates.map((state) => ({
    state,
    // A sample opens every page at least once.
    shown: state === 'full' ? paths : sample(paths, 2, testSeed + pageStates.indexOf(state)),
  }));
  const runs: { name: string; run: typeof cases; layers: Overlay[] }[] = isExhaustive
    ? [
        ...cases.map((one) => ({ name: one.state, run: [one], layers: [] })),
        { name: 'covered', run: [], layers: overlays },
      ]
    : [{ name: 'any', run: cases, layers: sample(overlays, 3) }];

  it.each(runs)('have no barrier that axe finds or cannot decide, in $name state', async ({ run, layers }) => {
    const { page, open } = await openPages({ issues: 1 });
    const openInState = await createStateOpener(page);
    await open('/signin');
    const barriers: unknown[] = await findBarriers(page, { undecided: 'html' });
    await signIn(page);
    const checked = new Set<unknown>();
    for (const { state, shown } of run)
      for (const path of shown) {
        await openInState(path, state);
        const parts = await read(page, structure);
        if (checked.has(parts)) continue;
        checked.add(parts);
        barriers.push(...(await findInViews(page, `${path} ${state}`, checked.size)));
      }
    const finishWork = await watchWork(page);
    for (const [index, { file, path, open: act, shown }] of layers.entries()) {
      await page.setViewport({ width: 1440, height: 800 });
      await open(path);
      await finishWork();
      await act(page);
      await page.waitForSelector(shown);
      await finishWork();
      // The page below a layer is darkened, so that axe cannot tell its colours.
      barriers.push(...(await findInViews(page, file, index, shown)));
    }
    expect(checked.size).toBeGreaterThanOrEqual(run.length);
    expect(barriers, `TEST_SEED=${testSeed}`).toEqual([]);
  });

  it('open each kind of layer in this test', async () => {
    const sources = await readSources('src/clients/ui/{pages,shell,parts}/**/*.tsx');
    const layer = /parts\/(dialog|form-dialog|confirm|dialog-frame)\.tsx$|^@base-ui\/react\/(alert-)?dialog$/;
    const users = sources
      .filter(({ path, imports }) => !layer.test(path) && imports.some(({ to, isType }) => !isType && layer.test(to)))
      .map(({ path }) => path.replace('src/clients/ui/', ''));
    const opened = overlays.map(({ file }) => file).filter((file) => file !== 'shell/live-dot.tsx');
    expect([...opened, ...sameOverlays].toSorted()).toEqual(users.toSorted());
  });
});
