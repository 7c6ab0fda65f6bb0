import { useQuery } from '@tanstack/react-query';
import { type Incident, incidentsQuery } from '../api/queries/incidents.ts';
import { useLive } from '../live/live.tsx';

/** More than that are not counted. */
const countMax = 100;

/** Reads the incidents that are not resolved; one that a person acknowledged is still among them. */
export function useUnresolvedIncidents(
  org: string,
  product?: string,
): { count: number; items: Incident[] | undefined; hasMore: boolean } {
  const { data } = useQuery(incidentsQuery(org, { state: 'Unresolved', product, limit: countMax }));
  useLive({ kind: 'incidents', org });
  const items = data?.items;
  return { count: items?.length ?? 0, items, hasMore: data?.continue !== undefined };
}
