import type { Query } from '@tanstack/react-query';

/**
 * Reports whether a query is read again at every change. Its `meta.live` is false, or a function of its data, when it is
 * not.
 */
export function isLive({ meta, state }: Query): boolean {
  const live = meta?.['live'];
  return typeof live === 'function' ? Boolean((live as (data: unknown) => unknown)(state.data)) : live !== false;
}
