import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../generated/openapi.ts';
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

export type ReleasePhase = NonNullable<Schemas['Release']['status']>['phase'];
export const releasePhases = [
  'Building',
  'Tagging',
  'Promoting',
  'Succeeded',
  'Failed',
  'Superseded',
  'Cancelled',
] satisfies ReleasePhase[];
export type ReleasesFilter = {
  product?: string | undefined;
  phase?: ReleasePhase | undefined;
  q?: string | undefined;
};

/** The Releases page by page, the newest first. */
export const releasePagesQuery = (org: string, { product, phase, q }: ReleasesFilter) =>
  infiniteQueryOptions({
    queryKey: ['releases', org, { product, phase, q }, 'pages'],
    queryFn: async ({ signal, pageParam }) =>
      await request('get', '/v1/orgs/{org}/releases', {
        params: { org },
        query: {
          limit: 50,
          ...(product !== undefined && { product }),
          ...(phase && { phase }),
          ...(q?.trim() && { q: q.trim() }),
          ...(pageParam !== '' && { continue: pageParam }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.continue,
  });
