const sections: Record<string, string> = {
  changes: 'agentworkflowruns',
  products: 'products',
  releases: 'releases',
  domains: 'domains',
};

/** Returns the call that reads what the page shows: the one that it shows itself, or the one of its path. */
export function toCurl(): string | undefined {
  const shown = [...document.querySelectorAll('main code, main pre')].map(({ textContent }) => textContent.trim());
  return shown.find((text) => /^curl\s/.test(text)) ?? toCurlOfPath(location.origin, location.pathname);
}

export function toCurlOfPath(origin: string, pathname: string): string | undefined {
  const [org, section, name, ...rest] = pathname.split('/').filter(Boolean);
  const toCall = (path: string): string => `curl -sS -H "Authorization: Bearer $token" ${origin}/api/v1${path}`;
  if (org === undefined) return toCall('/me/waiting');
  if (section === undefined) return toCall(`/orgs/${org}/products`);
  const plural = sections[section];
  if (plural === undefined || (rest.length > 0 && rest[0] !== 'zones') || rest.length > 2) return undefined;
  return toCall(['/orgs', org, plural, name, ...rest].filter(Boolean).join('/'));
}
