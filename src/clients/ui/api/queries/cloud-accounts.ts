import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../read-all.ts';
import { request } from '../request.ts';

/** The cloud accounts of an org, which only org admins may list. */
export const cloudAccountsQuery = (org: string) =>
  queryOptions({
    queryKey: ['cloud-accounts', org],
    queryFn: async ({ signal }) =>
      await readAll(
        async (query) => await request('get', '/v1/orgs/{org}/cloud-accounts', { params: { org }, query, signal }),
      ),
  });

/** The identity of the service at clouds, which changes only with the address of the installation. */
export const cloudIdentityQuery = queryOptions({
  queryKey: ['cloud-identity'],
  queryFn: async ({ signal }) => await request('get', '/v1/cloud-identity', { params: {}, signal }),
});
