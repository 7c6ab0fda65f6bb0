export type Crumb = { label: string; to?: string; search?: { product: string } };
/** The parts of a Release that its path does not name. */
type ReleaseName = { product: string; version: string };

/** The pages with a list of what is below them. */
const lists = ['changes', 'releases', 'incidents', 'domains'];
const parts: Record<string, string> = {
  board: 'Board',
  settings: 'Settings',
  reliability: 'Reliability',
  new: 'New',
  diff: 'Diff',
};

/** The pages of settings whose label is not their name in the path. */
const settings: Record<string, string> = {
  access: 'Access groups',
  'cloud-accounts': 'Cloud accounts',
  codehost: 'Code host',
  roles: 'AgentRoles',
  workflows: 'AgentWorkflows',
  tokens: 'API tokens',
  users: 'People',
};

/** Names the pages above a path, and its own. */
export function toCrumbs(pathname: string, release?: ReleaseName): Crumb[] {
  const [org, section, ...names] = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  if (org === undefined) return [{ label: 'Waiting for you' }];
  const [name, item] = names;
  if (org === 'device') return [{ label: 'Sign in a tool' }];
  if (org === 'help') return toHelpCrumbs(section);
  if (org === 'settings') return toSettingsCrumbs('/settings', section, name);
  const crumbs: Crumb[] = [{ label: org, to: `/${org}` }];
  if (section === undefined) return [...crumbs, { label: 'Products' }];
  if (section === 'settings') return [...crumbs, ...toSettingsCrumbs(`/${org}/settings`, name, item)];
  if (section === 'releases' && release) return [...crumbs, ...toReleaseCrumbs(org, release)];
  let path = `/${org}/${section}`;
  crumbs.push({ label: capitalize(section), ...(lists.includes(section) && { to: path }) });
  for (const part of names) {
    path += `/${part}`;
    // A file of evidence is named by its page.
    if (part === 'evidence') return [...crumbs, { label: 'Evidence' }];
    // Zones have no list of their own: the page of their Product has it.
    if (part !== 'zones') crumbs.push({ label: parts[part] ?? part, to: path });
  }
  return crumbs;
}

/** A Release has a path of its own, but belongs to a Product. */
const toReleaseCrumbs = (org: string, { product, version }: ReleaseName): Crumb[] => [
  { label: 'Products' },
  { label: product, to: `/${org}/products/${product}` },
  { label: 'Releases', to: `/${org}/releases`, search: { product } },
  { label: version },
];

function toSettingsCrumbs(path: string, page: string | undefined, item: string | undefined): Crumb[] {
  const crumbs: Crumb[] = [{ label: 'Settings', to: path }];
  if (page === undefined) return crumbs;
  crumbs.push({ label: settings[page] ?? capitalize(page), to: `${path}/${page}` });
  return item === undefined ? crumbs : [...crumbs, { label: item }];
}

function toHelpCrumbs(guide: string | undefined): Crumb[] {
  const crumbs: Crumb[] = [{ label: 'Help', to: '/help' }];
  return guide === undefined ? crumbs : [...crumbs, { label: capitalize(guide.replaceAll('-', ' ')) }];
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
