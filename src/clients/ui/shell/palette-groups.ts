import {
  Ban,
  CircleDot,
  Copy,
  Filter,
  Globe,
  History,
  Keyboard,
  Moon,
  MousePointerClick,
  Package,
  Server,
  Siren,
  Tag,
  UserRoundCheck,
  type LucideIcon,
} from 'lucide-react';
import type { Schemas } from '../api/generated/openapi.ts';
import { toState, toWords, type State } from '../parts/phase-state.ts';
import type { Place } from './places.ts';
import { listRecentPages } from './recent.ts';
import { openDecision } from './shortcuts.ts';
import { setTheme, themes } from './theme.ts';
import { toCurlOfPath } from './to-curl.ts';
import { copyText } from '../parts/copy-text.ts';

export type Command = {
  id: string;
  title: string;
  note?: string | undefined;
  /** Text at the end of the line. */
  kind?: string;
  keys?: string[];
  icon?: LucideIcon;
  state?: State;
  /** The page that the command opens. */
  path?: string;
  run?: () => void;
};
export type CommandGroup = { value: string; items: Command[] };

type FoundItem = Schemas['FoundItem'];
const kinds: Record<FoundItem['kind'], { word: string; icon: LucideIcon }> = {
  product: { word: 'Product', icon: Package },
  zone: { word: 'Environment', icon: Server },
  issue: { word: 'Issue', icon: CircleDot },
  run: { word: 'Change', icon: Package },
  release: { word: 'Release', icon: Tag },
  incident: { word: 'Incident', icon: Siren },
  domain: { word: 'Domain', icon: Globe },
};

export const toFoundCommand = ({ kind, name, title, note, phase, path, org }: FoundItem): Command => {
  const { word, icon } = kinds[kind];
  return {
    id: path,
    title,
    note: note ?? (title === name ? org : name),
    kind: phase === undefined ? word : `${word}, ${toWords(phase).toLowerCase()}`,
    ...(phase === undefined ? { icon } : { state: toState(phase) }),
    path,
  };
};

export const listRecent = (): Command[] =>
  listRecentPages().map(({ title, path }) => ({ id: `recent ${path}`, title, note: path, icon: History, path }));

export const listPlaces = (places: Place[], toPath: (place: Place) => string): Command[] =>
  places.map((place) => ({
    id: `place ${place.to}`,
    title: place.label,
    icon: place.icon,
    path: toPath(place),
    ...(place.letter !== undefined && { keys: ['g', place.letter] }),
  }));

const themeNames = { system: 'as the system', light: 'light', dark: 'dark' };

export const listAppearance = (openSheet: () => void): Command[] => [
  ...themes.map((theme) => ({
    id: `theme ${theme}`,
    title: `Appearance: ${themeNames[theme]}`,
    icon: Moon,
    run: () => setTheme(theme),
  })),
  { id: 'sheet', title: 'Keyboard shortcuts', icon: Keyboard, keys: ['?'], run: openSheet },
];

const pageActionsMax = 8;

/** Lists what the present page offers. An action of the decision is only shown to the person, and never pressed. */
export function listPageActions(): Command[] {
  const commands: Command[] = [];
  if (document.querySelector('#decision'))
    commands.push({ id: 'decision', title: 'Open the decision', icon: UserRoundCheck, keys: ['a'], run: openDecision });
  const filter = document.querySelector<HTMLElement>('main input[type=search]');
  if (filter)
    commands.push({ id: 'filter', title: 'Filter this page', icon: Filter, keys: ['/'], run: () => filter.focus() });
  commands.push(...listButtons());
  const curl = toCurl();
  if (curl !== undefined)
    commands.push({ id: 'curl', title: 'Copy as curl', note: curl, icon: Copy, run: () => void copyText(curl) });
  return commands;
}

/**
 * Returns the call that the page shows itself, or the one of its path. Other texts of a page, such as evidence and
 * transcripts, may be commands of strangers.
 */
const toCurl = (): string | undefined =>
  document.querySelector('main [data-curl]')?.textContent ?? toCurlOfPath(location.origin, location.pathname);

function listButtons(): Command[] {
  const buttons = [...document.querySelectorAll<HTMLElement>('main button, main a[data-action]')].filter(
    (button) =>
      !button.closest('tr, li, nav, form, pre, [role=grid], #decision') && !button.hasAttribute('aria-pressed'),
  );
  const byText = new Map(buttons.map((button) => [readName(button), button]));
  byText.delete('');
  return [...byText].slice(0, pageActionsMax).map(([title, button]) => {
    const isRefused = button.getAttribute('aria-disabled') === 'true';
    return {
      id: `action ${title}`,
      title,
      icon: isRefused ? Ban : MousePointerClick,
      ...(isRefused && { note: button.title, kind: 'Not allowed' }),
      run: () => {
        button.focus();
        if (!isRefused) button.click();
      },
    };
  });
}

const readName = (button: HTMLElement): string => (button.getAttribute('aria-label') ?? button.innerText).trim();

/** Keeps the commands that contain every word. */
export function filterCommands(commands: Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ title, note = '' }) =>
    words.every((word) => `${title} ${note}`.toLowerCase().includes(word)),
  );
}
