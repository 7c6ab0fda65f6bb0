import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';
import type { Schemas } from '../generated/openapi.ts';
import type { Zone } from '../types.ts';

type Comparison = Schemas['ReleaseComparison'];

const compare = async (org: string, name: string, query: { zone?: string }, signal: AbortSignal) =>
  await request('get', '/v1/orgs/{org}/releases/{name}/compare', { params: { org, name }, query, signal });

/** The code host computes comparisons, so they are kept a while. */
const keptMs = 30_000;

/** The commits and Changes that a promotion brings or takes away. */
export const comparisonQuery = (org: string, name: string, zone: Zone | undefined) => {
  const release = zone?.status.release;
  /** The zone may get another Release before the response arrives, which is then outdated. */
  const isOther = (comparison: Comparison | undefined): boolean =>
    comparison !== undefined && comparison.from?.release !== release;
  return queryOptions({
    // Another Release in the zone makes it another comparison.
    queryKey: ['comparison', org, name, zone?.name, release],
    queryFn: async ({ signal }) => await compare(org, name, { zone: zone?.name ?? '' }, signal),
    enabled: zone !== undefined,
    retry: false,
    staleTime: ({ state }) => (isOther(state.data) ? 0 : keptMs),
    refetchInterval: ({ state }) => isOther(state.data) && 5_000,
  });
};

/** The commits and Changes since the previous Release. */
export const contentsQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['comparison', org, name],
    queryFn: async ({ signal }) => await compare(org, name, {}, signal),
    retry: false,
    staleTime: keptMs,
  });
