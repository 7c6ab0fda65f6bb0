import { invalid } from '../../src/errors.ts';
import type { Product } from '../../src/rules/products/kinds.ts';

/** Returns the requested repo of a Product, or its only repo when none is requested. */
export function resolveRepo({ metadata, spec }: Product, requested: string | undefined, pointer: string): string {
  const detail =
    spec.repos.length === 0 ? 'has no match: add a repo to spec.repos' : `must be one of ${spec.repos.join(', ')}`;
  const only = spec.repos.length === 1 ? spec.repos[0] : undefined;
  const repo = requested === undefined ? only : spec.repos.find((candidate) => candidate === requested);
  if (repo === undefined)
    throw invalid(`The repo of the Product "${metadata.name}" is ambiguous: it ${detail}.`, [{ pointer, detail }]);
  return repo;
}
