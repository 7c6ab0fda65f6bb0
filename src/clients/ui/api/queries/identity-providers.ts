import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** Only platform admins may read them. */
export const identityProvidersQuery = queryOptions({
  queryKey: ['identity-providers'],
  queryFn: async ({ signal }) =>
    await request('get', '/v1/identity-providers', { params: {}, query: { limit: 200 }, signal }),
});
