import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../read-all.ts';
import { request } from '../request.ts';

/** The registries of an org, which only org admins may list. */
export const registriesQuery = (org: string) =>
  queryOptions({
    queryKey: ['registries', org],
    queryFn: async ({ signal }) =>
      await readAll(
        async (query) => await request('get', '/v1/orgs/{org}/registries', { params: { org }, query, signal }),
      ),
  });
