import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** Only org admins may read them. */
export const registriesQuery = (org: string) =>
  queryOptions({
    queryKey: ['registries', org],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/registries', { params: { org }, query: { limit: 200 }, signal }),
  });
