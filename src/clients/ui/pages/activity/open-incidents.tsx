import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { incidentsQuery } from '../../api/queries/incidents.ts';
import { useLive } from '../../live/live.tsx';
import { Status } from '../../parts/state.tsx';

const countMax = 100;

/** Says that something is wrong while work goes on, with the way to it. */
export function OpenIncidents({ org, product }: { org: string; product: string | undefined }) {
  const { data } = useQuery(incidentsQuery(org, { state: 'Unresolved', product, limit: countMax }));
  useLive({ kind: 'incidents', org });
  const count = data?.items.length ?? 0;
  if (count === 0) return null;
  const text = data?.continue === undefined ? String(count) : `More than ${count}`;
  return (
    <p className="row wrap">
      <Status state="failed" words={`${text} ${count === 1 ? 'incident is' : 'incidents are'} not resolved`} />
      <Link to="/$org/incidents" params={{ org }} search={{ state: 'Unresolved', ...(product && { product }) }}>
        Show {count === 1 ? 'it' : 'them'}
      </Link>
    </p>
  );
}
