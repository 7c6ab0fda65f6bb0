import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** The usage of the installation, which only platform admins may read. */
export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: async ({ signal }) => await request('get', '/v1/usage', { params: {}, signal }),
});
