import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** A page with more lanes is slow; the sums are of all lanes, whatever the page. */
const lanesPerPage = 40;

/** `after` is the `continue` of the page before. */
type ActivityFilter = { hours: number; product?: string | undefined; after?: string | undefined };

export const activityQuery = (org: string, { hours, product, after }: ActivityFilter) =>
  queryOptions({
    queryKey: ['activity', org, hours, product, after],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/activity', {
        params: { org },
        query: {
          hours,
          limit: lanesPerPage,
          ...(product !== undefined && { product }),
          ...(after !== undefined && { continue: after }),
        },
        signal,
      }),
  });

export const productDoraQuery = (org: string, product: string, days = 30) =>
  queryOptions({
    queryKey: ['dora', org, product, days],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/products/{product}/dora', {
        params: { org, product },
        query: { days },
        signal,
      }),
  });
