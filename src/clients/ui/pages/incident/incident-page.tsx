import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { incidentQuery, type Incident } from '../../api/queries/incidents.ts';
import { productQuery } from '../../api/queries/products.ts';
import { every } from '../../live/live-state.ts';
import { useLive } from '../../live/live.tsx';
import type { Topic } from '../../live/topic.ts';
import { CurlLine } from '../../parts/curl-line.tsx';
import {
  severityWords,
  toActor,
  toIncidentMark,
  toIncidentWords,
  toOpenedAt,
  toState,
} from '../../parts/incident-state.ts';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Columns, Details, PageHead, Section } from '../../parts/page.tsx';
import { Person } from '../../parts/person.tsx';
import { Status } from '../../parts/state.tsx';
import { StatusPageLink } from '../../parts/status-page-link.tsx';
import { Age, Elapsed, Time } from '../../parts/time.tsx';
import { AddNote } from './add-note.tsx';
import { incidentRoute } from './route.ts';
import { Situation } from './situation.tsx';
import { Timeline } from './timeline.tsx';

/** An incident: what is wrong, what may have caused it, what people did, and what they can do. */
export function IncidentPage() {
  const { org, name } = incidentRoute.useParams();
  const { data: incident } = useSuspenseQuery({ ...incidentQuery(org, name), refetchInterval: every(30_000) });
  const { spec, status } = incident;
  // Events of the zone tell that a Promotion reached it.
  const zone: Topic[] = spec.zone === undefined ? [] : [{ kind: 'zones', org, name: spec.zone }];
  useLive({ kind: 'incidents', org, name: incident.name }, ...zone);
  return (
    <>
      <PageHead title={spec.title}>
        <Status state={toIncidentMark(incident)} words={toIncidentWords(incident)} /> since{' '}
        <Time at={toOpenedAt(incident)} />,{' '}
        {status?.resolvedAt === undefined ? (
          <Age since={toOpenedAt(incident)} />
        ) : (
          <Elapsed from={toOpenedAt(incident)} to={status.resolvedAt} />
        )}
      </PageHead>
      <Situation incident={incident} />
      <Columns aside={<About incident={incident} />}>
        <Section id="timeline" title="Timeline" note="Notes for the status page appear there without names">
          <Timeline incident={incident} />
          <AddNote incident={incident} />
        </Section>
      </Columns>
    </>
  );
}

function About({ incident }: { incident: Incident }) {
  const { org, name, spec, status } = incident;
  const { data: product } = useQuery(productQuery(org, spec.product));
  const { alert } = spec;
  return (
    <>
      <section aria-labelledby="about">
        <h2 id="about">This incident</h2>
        <Details
          items={[
            ['Severity', severityWords[spec.severity]],
            [
              'Product',
              <Link key="product" to="/$org/products/$product" params={{ org, product: spec.product }}>
                {spec.product}
              </Link>,
            ],
            ['Opened by', <Actor key="opened" by={spec.openedBy} />],
            alert && [
              'Alert',
              alert.ruleUrl === undefined ? (
                alert.name
              ) : (
                <OutsideLink key="rule" href={alert.ruleUrl}>
                  {alert.name}
                </OutsideLink>
              ),
            ],
            ['Seen by', status?.acknowledgedBy === undefined ? 'No one yet' : <Actor by={status.acknowledgedBy} />],
            toState(incident) === 'Resolved' &&
              status?.resolvedBy !== undefined && ['Resolved by', <Actor key="resolved" by={status.resolvedBy} />],
            product && ['Status page', <StatusPageLink key="status" product={product} />],
          ]}
        />
      </section>
      <CurlLine path={`/orgs/${org}/incidents/${name}`} />
    </>
  );
}

const Actor = ({ by }: { by: string }) => (by.includes('@') ? <Person email={by} /> : toActor(by));
