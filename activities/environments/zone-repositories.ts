import type { Product } from '../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import type { Store } from '../../src/store/store.ts';

/**
 * Lists the image repositories from which a zone pulls: that of its values file, and that of the Release that runs, whose
 * pods may start again until those of the next Release run. Releases that say none are in the registry of the installation.
 */
export async function listZoneRepositories(
  store: Store,
  { metadata: { namespace }, status }: Product,
  { zone, installation }: { zone: string; installation: string },
): Promise<string[]> {
  const current = status?.zones?.find(({ name }) => name === zone);
  const repositories = new Set([current?.imageRepository ?? installation]);
  if (current?.release !== undefined) {
    const running = await store.find(ReleaseKind, { namespace, name: current.release });
    repositories.add(running?.status?.imageRepository ?? installation);
  }
  return [...repositories];
}
