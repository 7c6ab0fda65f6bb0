import { holdsRepository } from './registry-address.ts';
import type { Registry } from './registry.ts';

type Place = Pick<Registry, 'name' | 'host' | 'repositoryPrefix'>;
/** A Product with an image repository that its builds push to or its zones pull from. */
type ProductImages = { product: string; repository: string };

const shownMax = 3;

/**
 * Returns why a registry cannot go, or cannot become another one: the images of Products are in it, and zones could no
 * longer pull them.
 */
export function registryUseViolation(
  registry: Place,
  products: readonly ProductImages[],
  next?: Omit<Place, 'name'>,
): string | undefined {
  const holding = products.filter(
    ({ repository }) => holdsRepository(registry, repository) && !(next && holdsRepository(next, repository)),
  );
  const held = [...new Set(holding.map(({ product }) => product))];
  if (held.length === 0) return undefined;
  const names =
    held.slice(0, shownMax).join(', ') + (held.length > shownMax ? ` and ${held.length - shownMax} more` : '');
  return `The registry "${registry.name}" holds the images of Products (${names}). Replace its credentials, or delete the Products first.`;
}
