import { invalid } from '../../src/errors.ts';
import type { Product } from '../../src/rules/catalog/kinds.ts';

/** The repo that a caller means: the one they name, or the Product's only one. */
export function repoOf({ metadata, spec }: Product, named: string | undefined, pointer: string): string {
  const which =
    spec.repos.length === 0 ? 'it has none: add one to its spec.repos' : `choose one of ${spec.repos.join(', ')}`;
  const only = spec.repos.length === 1 ? spec.repos[0] : undefined;
  const repo = named === undefined ? only : spec.repos.find((candidate) => candidate === named);
  if (repo === undefined)
    throw invalid(`It is not clear which repo of the Product "${metadata.name}" is meant; ${which}.`, [
      { pointer, detail: which },
    ]);
  return repo;
}
