/** A property that the clients must have, and the npm script that shows it. */
export type Requirement = { text: string; script: string; args: readonly string[] };

const inBrowser = (names: string | readonly string[], text: string): Requirement => ({
  text,
  script: 'test:ui',
  args: [names].flat().map((name) => `test/clients/ui/${name}.test.ts`),
});

/** Requirements by number. Numbers are permanent, because people refer to them. */
export const requirements: ReadonlyMap<number, Requirement> = new Map([
  [1, { text: 'The first load and each route fit their size.', script: 'build', args: [] }],
  [2, inBrowser('routes', 'Each route has a heading, a title and the focus, and breaks no rule of the browser.')],
  [3, inBrowser('axe', 'No route has an accessibility violation in any theme, width or state.')],
  [4, inBrowser(['keyboard', 'focus'], 'Every journey works with the keyboard alone, and the focus is always seen.')],
  [5, inBrowser('motion', 'All motion can be stopped, and no state is told by its colour alone.')],
  [6, inBrowser('approved-elsewhere', 'An approval from elsewhere appears, moves nothing, and is announced once.')],
  [7, inBrowser(['live', 'copy'], 'Twelve tabs share one stream, none misses an event, and all can copy.')],
  [8, inBrowser('outage', 'An outage is said and bridged, and doubles nothing.')],
  [9, inBrowser('failures', 'A failure shows its cause, its resource and its fix without scrolling.')],
  [10, inBrowser('approval', 'An approval is for what the person read, and counts once.')],
  [
    11,
    inBrowser(
      ['roles', 'reasons'],
      'No role meets a control that the API refuses, and each disabled one says who may.',
    ),
  ],
  [
    12,
    inBrowser(
      ['settings-conflicts', 'field-errors'],
      'Settings show their diff and each error, and nothing typed is lost.',
    ),
  ],
  [13, inBrowser('urls', 'Each view has its address, which shows the same to others, and Back undoes it.')],
  [14, { text: 'The UI is fast on a slow machine.', script: 'bench:ui', args: [] }],
  [15, inBrowser('sizes', 'Long lists and diffs stay small in the browser.')],
  [16, inBrowser('logs', 'Logs count, follow, link and download truly.')],
  [18, inBrowser('hostile', 'No text of a stranger runs, opens anything or hides what it says.')],
  [19, inBrowser('lighthouse', 'Lighthouse finds every page accessible, and fast on an idle machine.')],
]);
