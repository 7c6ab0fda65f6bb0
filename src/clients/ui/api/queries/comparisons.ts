import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';
import type { Zone } from '../types.ts';

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
