import type { Product } from './kinds.ts';

/** Returns why the creation of the Product's repo cannot be retried. */
export function scaffoldRetryViolation({ spec, status }: Product): string | undefined {
  if (spec.source === undefined) return 'The Product has no source: its repo was not created by the service.';
  const { phase } = status?.scaffold ?? {};
  if (phase === undefined || phase === 'Failed') return undefined;
  return phase === 'Succeeded' ? 'The repo of the Product was created.' : 'The repo of the Product is being created.';
}
