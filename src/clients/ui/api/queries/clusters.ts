import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** The workload clusters, which only platform admins may list. */
export const clustersQuery = queryOptions({
  queryKey: ['clusters'],
  queryFn: async ({ signal }) => await request('get', '/v1/clusters', { params: {}, query: { limit: 200 }, signal }),
});
