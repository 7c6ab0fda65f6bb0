import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** Only platform admins may read it. */
export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: async ({ signal }) => await request('get', '/v1/usage', { params: {}, signal }),
});
