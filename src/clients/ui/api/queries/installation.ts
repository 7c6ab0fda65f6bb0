import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** Only platform admins may read them. */
export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: async ({ signal }) => await request('get', '/v1/installation', { params: {}, signal }),
});
