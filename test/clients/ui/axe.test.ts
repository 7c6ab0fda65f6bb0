import { expect, it } from 'vitest';
import { isExhaustive, sample, testSeed } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { read, signIn } from './open-ui.ts';
import { openPages } from './open-pages.ts';
import { createStateOpener, pageStates } from './page-states.ts';
import { pages } from './pages.ts';

/** The setup is a page of its own for everybody who is signed in. */
const setup = ['root', 'org', 'codehost', 'models', 'product'].map((step) => `/setup?step=${step}`);
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

describeWithChromium('all pages in a browser', () => {
  const cases = pageStates.map((state) => ({
    state,
    // A sample opens every page at least once.
    shown: state === 'full' ? paths : sample(paths, 2, testSeed + pageStates.indexOf(state)),
  }));
  const runs = isExhaustive
    ? cases.map((one) => ({ name: one.state as string, run: [one] }))
    : [{ name: 'any', run: cases }];

  it.each(runs)('have no barrier that axe finds or cannot decide, in $name state', async ({ run }) => {
    const { page, open } = await openPages();
    const openInState = await createStateOpener(page);
    await open('/signin');
    const barriers: unknown[] = await findBarriers(page, { undecided: true });
    await signIn(page);
    const checked = new Set<unknown>();
    for (const { state, shown } of run)
      for (const path of shown) {
        await openInState(path, state);
        const parts = await read(page, structure);
        if (checked.has(parts)) continue;
        checked.add(parts);
        for (const [index, { scheme, width, onlyLooks = false }] of views.entries()) {
          // A sample runs all rules in one of its two views, and those that depend on the view in both.
          const isPartial = onlyLooks || (!isExhaustive && index !== checked.size % 2);
          // A colour that still changes to that of the other scheme is no barrier.
          await page.emulateMediaFeatures([
            { name: 'prefers-color-scheme', value: scheme },
            { name: 'prefers-reduced-motion', value: 'reduce' },
          ]);
          await page.setViewport({ width, height: 800 });
          for (const barrier of await findBarriers(page, { undecided: true, onlyLooks: isPartial }))
            barriers.push([path, state, scheme, width, barrier]);
        }
      }
    expect(checked.size).toBeGreaterThan(run.length);
    expect(barriers, `TEST_SEED=${testSeed}`).toEqual([]);
  });
});
