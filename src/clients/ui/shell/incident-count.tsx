import { useQuery } from '@tanstack/react-query';
import { incidentsQuery } from '../api/queries/incidents.ts';
import { useLive } from '../live/live.tsx';
import styles from './place-list.module.css';

/** More than that are not counted on every page. */
const countMax = 100;

/** The number of incidents of an org that are not resolved; one that a person acknowledged still counts. */
export function IncidentCount({ org }: { org: string }) {
  const { data } = useQuery(incidentsQuery(org, { state: 'Unresolved', limit: countMax }));
  useLive({ kind: 'incidents', org });
  const count = data?.items.length ?? 0;
  if (count === 0) return null;
  const text = data?.continue === undefined ? String(count) : `${count}+`;
  return (
    <span className={styles['count']} data-state="failed" role="img" aria-label={`${text} open`}>
      {text}
    </span>
  );
}
