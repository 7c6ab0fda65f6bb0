import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

export const releasesQuery = (org: string, product?: string) =>
  queryOptions({
    queryKey: ['releases', org, { product }],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/releases', {
        params: { org },
        query: { limit: 50, ...(product && { product }) },
        signal,
      }),
  });

export const releaseQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['release', org, name],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/releases/{name}', { params: { org, name }, signal }),
  });
