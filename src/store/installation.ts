import type { DomainSettings } from '../rules/domains/kinds.ts';
import { isRejected } from '../rules/conditions.ts';
import { applyInstallation } from '../rules/installation/apply-installation.ts';
import type { FirstValues } from '../rules/installation/first-values.ts';
import { InstallationKind, installationRef, type InstallationSpec } from '../rules/installation/kinds.ts';
import { toZoneAddress } from '../rules/installation/zone-address.ts';
import type { Store } from './store.ts';

/**
 * Every use reads the Installation, so that a change applies to all processes without a restart. While it is rejected
 * because it was written with kubectl, the last valid settings apply; until there are any, those of the environment.
 */
async function findSettings(store: Store): Promise<InstallationSpec | undefined> {
  const installation = await store.find(InstallationKind, installationRef);
  return installation && isRejected(installation) ? installation.status?.accepted : installation?.spec;
}

export async function readDomainSettings(store: Store, first: DomainSettings): Promise<DomainSettings> {
  const settings = await findSettings(store);
  return settings ? applyInstallation(first, settings) : first;
}

/** Returns the function that returns the URL of a zone. */
export async function readZoneAddress(
  store: Store,
  first: (zone: string) => string,
): Promise<(zone: string) => string> {
  const settings = await findSettings(store);
  return settings ? toZoneAddress(first, settings.platformDomain) : first;
}

export async function readPasswordSignIn(
  store: Store,
  first: FirstValues['passwordSignIn'],
): Promise<FirstValues['passwordSignIn']> {
  return (await findSettings(store))?.signIn.password ?? first;
}
