import { isServiceError } from '../errors.ts';
import { type FirstValues, toFirstSpec } from '../rules/installation/first-values.ts';
import { type Installation, InstallationKind, installationRef } from '../rules/installation/kinds.ts';
import type { Store } from '../store/store.ts';

/** Creates the Installation from the first values, which apply only until it exists. */
export async function ensureInstallation(store: Store, first: FirstValues): Promise<Installation> {
  const existing = await store.find(InstallationKind, installationRef);
  if (existing) return existing;
  try {
    return await store.create(InstallationKind, { metadata: installationRef, spec: toFirstSpec(first) });
  } catch (error) {
    // Another replica has created it meanwhile.
    if (!isServiceError(error, 'conflict')) throw error;
    return await store.get(InstallationKind, installationRef);
  }
}
