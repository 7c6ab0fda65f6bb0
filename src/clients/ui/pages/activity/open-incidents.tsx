import { Link } from '@tanstack/react-router';
import { Status } from '../../parts/state.tsx';
import { useUnresolvedIncidents } from '../../parts/use-unresolved-incidents.ts';
import styles from './activity.module.css';

/** Says how many incidents are open, with a link to them. */
export function OpenIncidents({ org, product }: { org: string; product: string | undefined }) {
  const { count, hasMore } = useUnresolvedIncidents(org, product);
  if (count === 0) return null;
  const text = hasMore ? `More than ${count}` : String(count);
  return (
    <p className={`row wrap ${styles['incidents']}`}>
      <Status state="failed" words={`${text} ${count === 1 ? 'incident is' : 'incidents are'} not resolved`} />
      <Link to="/$org/incidents" params={{ org }} search={{ state: 'Unresolved', ...(product && { product }) }}>
        Show {count === 1 ? 'it' : 'them'}
      </Link>
    </p>
  );
}
