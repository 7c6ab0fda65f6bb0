import { parse } from 'tldts';
import { isHostLabel, isUnder, overlaps } from './host-name.ts';
import type { DomainSettings } from './kinds.ts';

/** Names that visitors would take for the installation's own. */
const reserved = new Set(
  (
    'www www1 www2 web api apis app apps docs doc help support status admin administrator root auth login logout signin ' +
    'signup sso account accounts oauth id dev staging stage prod production test preview rc beta demo internal system ' +
    'service platform console dashboard portal ingress gateway cdn static assets media files mail email smtp imap pop ' +
    'mx ns ns1 ns2 dns ftp ssh vpn git registry metrics monitoring grafana billing payment payments security abuse ' +
    'postmaster hostmaster webmaster autoconfig autodiscover wpad localhost'
  ).split(' '),
);

/** Why that name cannot be claimed at all, whoever asks; undefined where it can. */
export function refuseName(
  kind: 'external' | 'managed',
  host: string,
  { managedRoots, platformDomain }: DomainSettings,
): string | undefined {
  return kind === 'managed'
    ? refuseManaged(host, managedRoots)
    : refuseExternal(host, { managedRoots, platformDomain });
}

function refuseManaged(host: string, roots: readonly string[]): string | undefined {
  if (roots.length === 0)
    return 'managed subdomains are not set up in this installation: a platform admin sets up domain roots first';
  const root = roots.find((one) => isUnder(host, one));
  if (root === undefined) return `must be a subdomain of ${roots.join(' or ')}`;
  const own = host.slice(0, -root.length - 1);
  if (!isHostLabel(own)) return `must be one label under ${root}, such as "acme.${root}"`;
  return reserved.has(own) || own.startsWith('xn--')
    ? `"${own}" is reserved: choose another name under ${root}`
    : undefined;
}

function refuseExternal(
  host: string,
  { managedRoots, platformDomain }: Pick<DomainSettings, 'managedRoots' | 'platformDomain'>,
): string | undefined {
  const ours = [...managedRoots, ...(platformDomain === undefined ? [] : [platformDomain])];
  if (ours.some((domain) => overlaps(host, domain))) return 'belongs to the installation';
  // Nobody's own: under it are the domains of everybody.
  const { publicSuffix } = parse(host, { allowPrivateDomains: false });
  return publicSuffix === host ? `is a public suffix: claim a domain under .${host}` : undefined;
}

/** What is registered as one: claims that could overlap have the same. */
export const familyOf = (host: string, { managedRoots }: Pick<DomainSettings, 'managedRoots'>): string =>
  managedRoots.some((root) => isUnder(host, root))
    ? host
    : (parse(host, { allowPrivateDomains: false }).domain ?? host);
