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
  /** The zone may get another Release between the page that asks and the answer, which is then of no use. */
  const isOther = (comparison: Comparison | undefined): boolean =>
    comparison !== undefined && comparison.from?.release !== release;
  return queryOptions({
    // With another Release in the zone, it is another comparison.
    queryKey: ['comparison', org, name, zone?.name, release],
    queryFn: async ({ signal }) => await compare(org, name, { zone: zone?.name ?? '' }, signal),
    enabled: zone !== undefined,
    retry: false,
    staleTime: ({ state }) => (isOther(state.data) ? 0 : keptMs),
    refetchInterval: ({ state }) => isOther(state.data) && 5_000,
  });
};

/** The commits and Changes since the Release before. */
export const contentsQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['comparison', org, name],
    queryFn: async ({ signal }) => await compare(org, name, {}, signal),
    retry: false,
    staleTime: keptMs,
  });
