const sections: Record<string, string> = {
  changes: 'agentworkflowruns',
  products: 'products',
  releases: 'releases',
  domains: 'domains',
};

/** Returns the call that reads what the page of a path shows. */
export function toCurlOfPath(origin: string, pathname: string): string | undefined {
  const [org, section, name, ...rest] = pathname.split('/').filter(Boolean);
  // A path may be of a stranger's link, and contain what a shell would run.
  const toCall = (path: string): string =>
    `curl -sS -H "Authorization: Bearer $token" '${origin}/api/v1${path.replaceAll("'", '%27')}'`;
  if (org === undefined) return toCall('/me/waiting');
  if (['device', 'help', 'settings'].includes(org)) return undefined;
  if (section === undefined) return toCall(`/orgs/${org}/products`);
  const plural = sections[section];
  if (plural === undefined || (rest.length > 0 && rest[0] !== 'zones') || rest.length > 2) return undefined;
  return toCall(['/orgs', org, plural, name, ...rest].filter(Boolean).join('/'));
}
