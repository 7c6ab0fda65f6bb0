import { isShortcut } from './keys.ts';

export type ShortcutActions = {
  openPalette: () => void;
  openSheet: () => void;
  goTo: (letter: string) => void;
  togglePause: () => void;
};

/** The second key of "g" and a letter. */
const sequenceMs = 1_500;

/** Listens to the keys that every page has, until the signal is aborted. */
export function listenToShortcuts(signal: AbortSignal, actions: ShortcutActions): void {
  let sequenceUntil = 0;
  const keys: Record<string, () => void> = {
    '?': actions.openSheet,
    '.': actions.togglePause,
    '/': focusFilter,
    a: openDecision,
    j: () => moveRow(1),
    k: () => moveRow(-1),
    g: () => {
      sequenceUntil = Date.now() + sequenceMs;
    },
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      return actions.openPalette();
    }
    if (!isShortcut(event)) return;
    const isSequence = Date.now() < sequenceUntil;
    sequenceUntil = 0;
    const run = isSequence ? () => actions.goTo(event.key) : keys[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  document.addEventListener('keydown', onKeyDown, { signal });
}

function focusFilter(): void {
  document.querySelector<HTMLElement>('main input[type=search]')?.focus();
}

/** Leads to the decision of a page, and never decides. */
export function openDecision(): void {
  const decision = document.querySelector<HTMLElement>('#decision');
  if (!decision) return;
  if (!decision.hasAttribute('tabindex')) decision.tabIndex = -1;
  decision.scrollIntoView({ block: 'start' });
  decision.focus({ preventScroll: true });
}

/** Moves the focus to the link of the next row of the page's tables and lists; Enter opens it. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll('main tbody tr, main [data-rows] > li')].filter((row) => findLink(row));
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const next = current === -1 ? (step === 1 ? 0 : rows.length - 1) : current + step;
  const link = rows[next] && findLink(rows[next]);
  link?.focus();
  link?.scrollIntoView({ block: 'nearest' });
}

const findLink = (row: Element): HTMLElement | null => row.querySelector<HTMLElement>('a[href], button');
