import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** More attempts than that are read by the API. */
const promotionsMax = 50;

/** The latest Promotions of a Release or to a zone, newest first; events of either read them again. */
export const promotionsQuery = (org: string, of: { release: string } | { zone: string }) =>
  queryOptions({
    queryKey: ['promotions', org, ...Object.values(of)],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/promotions', {
        params: { org },
        query: { limit: promotionsMax, ...of },
        signal,
      }),
  });
