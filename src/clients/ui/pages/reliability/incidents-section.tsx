import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { incidentsQuery } from '../../api/queries/incidents.ts';
import type { Product } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { IncidentsTable } from '../../parts/incidents-table.tsx';
import { Section } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';

const shownMax = 5;

/** The incidents of a Product: those that are not resolved, and then the latest. */
export function IncidentsSection({ product: { org, name } }: { product: Product }) {
  const { data, error } = useQuery(incidentsQuery(org, { product: name, limit: shownMax }));
  useLive({ kind: 'incidents', org });
  return (
    <Section
      id="incidents"
      title="Incidents"
      note="Those that are not resolved first"
      aside={
        <span className="row">
          <Link to="/$org/incidents" params={{ org }} search={{ product: name, report: true }}>
            Open an incident
          </Link>
          <Link to="/$org/incidents" params={{ org }} search={{ product: name }}>
            All incidents
          </Link>
        </span>
      }
    >
      {error && <ProblemNotice error={error} />}
      {data?.items.length === 0 && <p className="dim">None yet.</p>}
      {data && data.items.length > 0 && <IncidentsTable incidents={data.items} />}
    </Section>
  );
}
