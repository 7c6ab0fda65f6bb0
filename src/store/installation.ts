import type { DomainSettings } from '../rules/domains/kinds.ts';
import { isRejected } from '../rules/conditions.ts';
import { applyInstallation } from '../rules/installation/apply-installation.ts';
import type { FirstValues } from '../rules/installation/first-values.ts';
import { type Installation, InstallationKind, installationRef } from '../rules/installation/kinds.ts';
import { toZoneAddress } from '../rules/installation/zone-address.ts';
import type { Store } from './store.ts';

/**
 * Every use reads the Installation, so that a change applies to all processes without a restart. Until it exists, and
 * while it is invalid because it was written with kubectl, the first values of the environment count.
 */
async function findInstallation(store: Store): Promise<Installation | undefined> {
  const installation = await store.find(InstallationKind, installationRef);
  return installation && !isRejected(installation) ? installation : undefined;
}

export async function readDomainSettings(store: Store, first: DomainSettings): Promise<DomainSettings> {
  const installation = await findInstallation(store);
  return installation ? applyInstallation(first, installation.spec) : first;
}

/** Returns the function that returns the URL of a zone. */
export async function readZoneAddress(
  store: Store,
  first: (zone: string) => string,
): Promise<(zone: string) => string> {
  const installation = await findInstallation(store);
  return installation ? toZoneAddress(first, installation.spec.platformDomain) : first;
}

export async function readPasswordSignIn(
  store: Store,
  first: FirstValues['passwordSignIn'],
): Promise<FirstValues['passwordSignIn']> {
  return (await findInstallation(store))?.spec.signIn.password ?? first;
}
