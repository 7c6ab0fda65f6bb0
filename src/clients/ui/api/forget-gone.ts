import type { Query } from '@tanstack/react-query';
import { ApiProblem } from './request.ts';

/**
 * Forgets data that the API no longer returns to the person, so that the page of a deleted thing says that it is gone.
 * `meta.keepsGone` of a query is for a page that says so next to the last data.
 */
export function forgetGone(error: Error, query: Query<unknown, unknown, unknown>): void {
  if (query.meta?.['keepsGone'] === true || !isGone(error)) return;
  query.setState({ ...query.state, data: undefined });
}

/** A proxy also answers with these statuses, and then without the reason of a problem document. */
export const isGone = (error: Error | null): boolean =>
  error instanceof ApiProblem && [403, 404].includes(error.status) && error.reason !== 'unreachable';
