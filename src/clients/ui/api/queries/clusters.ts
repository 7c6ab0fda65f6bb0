import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** Only platform admins may read them. */
export const clustersQuery = queryOptions({
  queryKey: ['clusters'],
  queryFn: async ({ signal }) => await request('get', '/v1/clusters', { params: {}, query: { limit: 200 }, signal }),
});
