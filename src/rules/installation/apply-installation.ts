import type { DomainSettings } from '../domains/kinds.ts';
import type { InstallationSpec } from './kinds.ts';

/** Returns the domain settings with those of the Installation in place of the first values. */
export function applyInstallation(
  first: DomainSettings,
  { platformDomain, managedDomainRoots }: InstallationSpec,
): DomainSettings {
  const hosts = first.ownHosts.filter(
    (host) => host === first.ingress.host || !first.managedBaseDomains.includes(host),
  );
  return {
    ...first,
    platformDomain,
    managedBaseDomains: managedDomainRoots,
    // The site of a managed root could set cookies for every name under it.
    ownHosts: [...new Set([...hosts, ...managedDomainRoots])],
  };
}
