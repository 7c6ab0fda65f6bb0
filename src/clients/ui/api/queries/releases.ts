import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../generated/openapi.ts';
import type { Zone } from '../types.ts';
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

const compare = async (org: string, name: string, query: { zone?: string }, signal: AbortSignal) =>
  await request('get', '/v1/orgs/{org}/releases/{name}/compare', { params: { org, name }, query, signal });

/** The code host computes comparisons, so they are kept a while. */
const comparisons = { staleTime: 30_000, retry: false };

/** The commits and Changes that a promotion brings or takes away. */
export const comparisonQuery = (org: string, name: string, zone: Zone | undefined) =>
  queryOptions({
    // With another Release in the zone, it is another comparison.
    queryKey: ['comparison', org, name, zone?.name, zone?.status.release],
    queryFn: async ({ signal }) => await compare(org, name, { zone: zone?.name ?? '' }, signal),
    enabled: zone !== undefined,
    ...comparisons,
  });

/** The commits and Changes since the Release before. */
export const contentsQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['comparison', org, name],
    queryFn: async ({ signal }) => await compare(org, name, {}, signal),
    ...comparisons,
  });

export const releaseArtifactsQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['release-artifacts', org, name],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/releases/{name}/artifacts', { params: { org, name }, signal }),
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
