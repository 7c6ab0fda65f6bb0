import { parse } from 'tldts';
import type { FieldError } from '../../errors.ts';
import { hostsOverlap, isSubdomain, parseHostName } from '../domains/host-name.ts';
import type { InstallationSpec } from './kinds.ts';

export type HeldDomain = { host: string; kind: 'external' | 'managed'; org: string };
export type InstallationFacts = {
  /** The current settings. */
  current: InstallationSpec;
  /** The hosts of the service itself and of its ingress. */
  serviceHosts: readonly string[];
  /** The domains that orgs hold. */
  domains: readonly HeldDomain[];
  /** The hosts at which zones are served. */
  zoneHosts: readonly string[];
  /** Whether a platform admin has a password. */
  hasAdminWithPassword: boolean;
};

/** Writes host names in lower case and ASCII, so that they can be compared. */
export const normalizeInstallation = (spec: InstallationSpec): InstallationSpec => ({
  ...spec,
  ...(spec.platformDomain !== undefined && { platformDomain: toHost(spec.platformDomain) }),
  managedDomainRoots: spec.managedDomainRoots.map(toHost),
});

const toHost = (text: string): string => parseHostName(text) ?? text.trim().toLowerCase();

/** Returns what is wrong with new settings. Values that do not change stay valid, also those of the environment. */
export function installationViolations(next: InstallationSpec, facts: InstallationFacts): FieldError[] {
  return [...platformDomainViolations(next, facts), ...rootViolations(next, facts), ...signInViolations(next, facts)];
}

function platformDomainViolations(
  { platformDomain }: InstallationSpec,
  { current, serviceHosts, domains }: InstallationFacts,
): FieldError[] {
  if (platformDomain === current.platformDomain) return [];
  const detail =
    platformDomain === undefined
      ? `is required: zones have their addresses under it. Send "${current.platformDomain}" to keep it`
      : (hostViolation(platformDomain, serviceHosts) ?? heldViolation(platformDomain, domains));
  return detail === undefined ? [] : [{ pointer: '/platformDomain', detail }];
}

function rootViolations(
  { platformDomain, managedDomainRoots: roots }: InstallationSpec,
  { current, serviceHosts, domains, zoneHosts }: InstallationFacts,
): FieldError[] {
  return roots.flatMap((root, index) => {
    const pointer = `/managedDomainRoots/${index}`;
    const others = roots.slice(0, index);
    if (others.includes(root)) return [{ pointer, detail: 'is a duplicate' }];
    if (root === platformDomain)
      return [{ pointer, detail: 'is the platform domain, whose names are those of zones: use another domain' }];
    if (current.managedDomainRoots.includes(root)) return [];
    const overlap = others.find((other) => hostsOverlap(other, root));
    const served = zoneHosts.find((host) => host === root || isSubdomain(host, root));
    const detail =
      hostViolation(root, serviceHosts) ??
      heldViolation(root, domains) ??
      (overlap === undefined ? undefined : `overlaps with the root ${overlap}: a name must have one root only`) ??
      (served === undefined ? undefined : `has the address ${served} of a zone under it: use another domain`);
    return detail === undefined ? [] : [{ pointer, detail }];
  });
}

function hostViolation(host: string, serviceHosts: readonly string[]): string | undefined {
  if (parseHostName(host) === undefined)
    return 'must be a domain name such as "apps.example.com", without scheme, port, path or wildcard';
  if (serviceHosts.includes(host)) return 'is a host of the service itself: use another domain';
  return parse(host, { allowPrivateDomains: false }).publicSuffix === host
    ? `is a public suffix, which has no single owner: use a domain under .${host}`
    : undefined;
}

/** An org proves that it owns an external domain, and everything under it. A managed domain is one label of a root. */
function heldViolation(host: string, domains: readonly HeldDomain[]): string | undefined {
  const held = domains.find((domain) =>
    domain.kind === 'external'
      ? hostsOverlap(domain.host, host)
      : domain.host === host || isSubdomain(host, domain.host),
  );
  return held && `overlaps with the domain ${held.host} of the org "${held.org}": the org has to remove it first`;
}

function signInViolations(next: InstallationSpec, facts: InstallationFacts): FieldError[] {
  if (next.signIn.password === facts.current.signIn.password || facts.hasAdminWithPassword) return [];
  return [
    {
      pointer: '/signIn/password',
      detail:
        'would lock every platform admin out, because none of them has a password: set the password of one with `resetPassword` first',
    },
  ];
}

/** Lists the domains of orgs that lose their root. */
export const listOrphanedDomains = (next: InstallationSpec, { current, domains }: InstallationFacts): HeldDomain[] => {
  const removed = current.managedDomainRoots.filter((root) => !next.managedDomainRoots.includes(root));
  return domains.filter(({ host, kind }) => kind === 'managed' && removed.some((root) => isSubdomain(host, root)));
};
