import axe from 'axe-core';
import type { Page } from 'puppeteer-core';

type Check = { data?: { messageKey?: string } | null };
type Finding = { id: string; nodes: { html: string; any: Check[]; all: Check[]; none: Check[] }[] };
type Results = { violations: Finding[]; incomplete: Finding[] };

/** Findings that axe leaves to a person, by rule, cause and element in its navigation, with why each is no barrier. */
const explained: { kind: string; html: RegExp; why: string }[] = [
  { kind: 'color-contrast bgImage', html: /^: <select /, why: 'Its arrow is an image next to the text.' },
  {
    kind: 'color-contrast nonBmp',
    html: /^: <td [^>]*>−</,
    why: 'A minus sign is no icon: it has the colour of the plus sign.',
  },
  { kind: 'color-contrast nonBmp', html: /^: <kbd>[←→↑↓]<\/kbd>$/, why: 'An arrow has the colour of other keys.' },
  {
    kind: 'color-contrast elmPartiallyObscured',
    html: /^(Product|Settings): <a /,
    why: 'These navigations scroll sideways on a narrow screen.',
  },
  {
    kind: 'color-contrast elmPartiallyObscured',
    html: /^: <span class="clip">/,
    why: 'The commands of the palette scroll in their list.',
  },
  {
    kind: 'color-contrast pseudoContent',
    html: /^: <time /,
    why: 'The line between two events stands next to their times.',
  },
];

/** The rules whose result depends on the theme or the width; all others depend on the structure. */
const looks = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'];

/** Lists what axe finds on the page; with `undecided`, also what it leaves to a person there and is not explained. */
export async function findBarriers(
  page: Page,
  { onlyLooks = false, undecided: place }: { onlyLooks?: boolean; undecided?: string } = {},
): Promise<unknown[]> {
  if ((await page.evaluate("typeof window.axe === 'undefined'")) === true) await page.evaluate(axe.source);
  const options = {
    resultTypes: ['violations', 'incomplete'],
    // axe runs the rule for small targets only when it is asked to.
    ...(onlyLooks ? { runOnly: { type: 'rule', values: looks } } : { rules: { 'target-size': { enabled: true } } }),
  };
  const { violations, incomplete } = (await page.evaluate(`axe.run(${JSON.stringify(options)}).then((results) => {
    for (const finding of results.incomplete)
      finding.nodes = finding.nodes.flatMap((node) => {
        const element = document.querySelector(node.target.at(-1));
        const html = (element?.closest('nav')?.ariaLabel ?? '') + ': ' + node.html;
        return element && !element.closest(${JSON.stringify(place ?? 'html')}) ? [] : [{ ...node, html }];
      });
    return results;
  })`)) as Results;
  const undecided = incomplete
    .flatMap(({ id, nodes }) => nodes.map((node) => ({ kind: [id, ...readCauses(node)].join(' '), html: node.html })))
    .filter((found) => !explained.some(({ kind, html }) => kind === found.kind && html.test(found.html)));
  return [
    ...violations.map(({ id, nodes }) => [id, nodes.length, nodes[0]?.html.slice(0, 200)]),
    ...(place === undefined ? [] : undecided).map(({ kind, html }) => ['undecided', kind, html.slice(0, 200)]),
  ];
}

const readCauses = ({ any, all, none }: Finding['nodes'][number]): string[] => [
  ...new Set([...any, ...all, ...none].flatMap(({ data }) => data?.messageKey ?? [])),
];
