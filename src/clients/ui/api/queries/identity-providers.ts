import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../read-all.ts';
import { request } from '../request.ts';

/** The identity providers, which only platform admins may list. */
export const identityProvidersQuery = queryOptions({
  queryKey: ['identity-providers'],
  queryFn: async ({ signal }) =>
    await readAll(async (query) => await request('get', '/v1/identity-providers', { params: {}, query, signal })),
});
