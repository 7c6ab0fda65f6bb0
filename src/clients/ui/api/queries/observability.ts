import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** More lanes than that are read by the API; the sums are of all. */
const lanesMax = 40;

export const activityQuery = (org: string, filter: { hours: number; product?: string | undefined }) => {
  const { hours, product } = filter;
  return queryOptions({
    queryKey: ['activity', org, hours, product],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/activity', {
        params: { org },
        query: { hours, limit: lanesMax, ...(product !== undefined && { product }) },
        signal,
      }),
  });
};

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
