import { parse } from 'tldts';
import { isHostLabel, isSubdomain, hostsOverlap } from './host-name.ts';
import type { DomainSettings } from './kinds.ts';
import { isReservedDomainLabel } from './reserved-labels.ts';

/** Returns why no org can claim a name, or undefined when one can. */
export function validateDomainName(
  kind: 'external' | 'managed',
  host: string,
  { managedBaseDomains, platformDomain, ownHosts }: DomainSettings,
): string | undefined {
  // An operator may put a domain root below the own host, as on one machine: managed names are one label under it.
  const isOwn = (own: string): boolean => host === own || (kind === 'external' && isSubdomain(host, own));
  if (ownHosts.some(isOwn)) return 'belongs to the installation';
  return kind === 'managed'
    ? managedNameViolation(host, managedBaseDomains)
    : externalNameViolation(host, { managedBaseDomains, platformDomain });
}

function managedNameViolation(host: string, roots: readonly string[]): string | undefined {
  if (roots.length === 0) return 'managed subdomains are not available: ask a platform admin to set up domain roots';
  const root = roots.find((one) => isSubdomain(host, one));
  if (root === undefined) return `must be a subdomain of ${roots.join(' or ')}`;
  const own = host.slice(0, -root.length - 1);
  if (!isHostLabel(own)) return `must be one label under ${root}, such as "acme.${root}"`;
  return isReservedDomainLabel(own) ? `"${own}" is reserved: choose another name under ${root}` : undefined;
}

function externalNameViolation(
  host: string,
  { managedBaseDomains, platformDomain }: Pick<DomainSettings, 'managedBaseDomains' | 'platformDomain'>,
): string | undefined {
  const ownDomains = [...managedBaseDomains, ...(platformDomain === undefined ? [] : [platformDomain])];
  if (ownDomains.some((domain) => hostsOverlap(host, domain))) return 'belongs to the installation';
  // A public suffix has no single owner.
  const { publicSuffix } = parse(host, { allowPrivateDomains: false });
  return publicSuffix === host ? `is a public suffix: claim a domain under .${host}` : undefined;
}
