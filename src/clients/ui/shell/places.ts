import {
  BookOpen,
  ChartGantt,
  Coins,
  GitPullRequestArrow,
  Globe,
  Package,
  Settings,
  Siren,
  UserRoundCheck,
  Workflow,
  type LucideIcon,
} from 'lucide-react';

/** A page of the side bar. `letter` follows "g"; places with `short` are also at the bottom of a phone. */
export type Place = { label: string; short?: string; icon: LucideIcon; to: string; letter?: string };

/** Places whose route does not exist are not shown. */
export const places: Place[] = [
  { label: 'Waiting for you', short: 'Waiting', icon: UserRoundCheck, to: '/', letter: 'w' },
  { label: 'Products', short: 'Products', icon: Package, to: '/$org', letter: 'p' },
  { label: 'Changes', short: 'Changes', icon: GitPullRequestArrow, to: '/$org/changes', letter: 'c' },
  { label: 'Activity', icon: ChartGantt, to: '/$org/activity', letter: 'v' },
  { label: 'Incidents', short: 'Incidents', icon: Siren, to: '/$org/incidents', letter: 'i' },
  { label: 'Domains', icon: Globe, to: '/$org/domains', letter: 'd' },
  { label: 'Workflows', icon: Workflow, to: '/$org/settings/workflows', letter: 'k' },
  { label: 'Costs', icon: Coins, to: '/$org/settings/costs' },
  { label: 'Settings', icon: Settings, to: '/$org/settings', letter: 's' },
  { label: 'Help', icon: BookOpen, to: '/help', letter: 'h' },
];

/** Finds the place that a page belongs to: pages of a Product, and others without a place, belong to Products. */
export function findPlace(all: readonly Place[], pathname: string): Place | undefined {
  const [first, section, page] = pathname.split('/').filter(Boolean);
  if (first === 'device') return undefined;
  if (first === undefined) return all.find(({ to }) => to === '/');
  return (
    all.find(({ to }) => page !== undefined && to === `/$org/${section}/${page}`) ??
    all.find(({ to }) => section !== undefined && to === `/$org/${section}`) ??
    all.find(({ to }) => to === `/${first}` || to === `/$org/${first}`) ??
    all.find(({ to }) => to === '/$org')
  );
}
