import { useUnresolvedIncidents } from '../parts/use-unresolved-incidents.ts';
import styles from './place-list.module.css';

/** The number of incidents of an org that are not resolved. */
export function IncidentCount({ org }: { org: string }) {
  const { count, hasMore } = useUnresolvedIncidents(org);
  if (count === 0) return null;
  const text = hasMore ? `${count}+` : String(count);
  return (
    <span className={styles['count']} data-state="failed" role="img" aria-label={`${text} open`}>
      {text}
    </span>
  );
}
