import { useQuery } from '@tanstack/react-query';
import { incidentsQuery } from '../api/queries/incidents.ts';
import { useLive } from '../live/live.tsx';

/** More than that are not counted. */
const countMax = 100;

/** Counts the incidents that are not resolved; one that a person acknowledged still counts. */
export function useUnresolvedIncidents(org: string, product?: string): { count: number; hasMore: boolean } {
  const { data } = useQuery(incidentsQuery(org, { state: 'Unresolved', product, limit: countMax }));
  useLive({ kind: 'incidents', org });
  return { count: data?.items.length ?? 0, hasMore: data?.continue !== undefined };
}
