import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../read-all.ts';
import { request } from '../request.ts';

/** The workload clusters, which only platform admins may list. */
export const clustersQuery = queryOptions({
  queryKey: ['clusters'],
  queryFn: async ({ signal }) =>
    await readAll(async (query) => await request('get', '/v1/clusters', { params: {}, query, signal })),
});
