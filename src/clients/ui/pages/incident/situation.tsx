import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import type { Incident } from '../../api/queries/incidents.ts';
import { productQuery } from '../../api/queries/products.ts';
import { promotionsQuery } from '../../api/queries/promotions.ts';
import { request } from '../../api/request.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import failure from '../../parts/failure.module.css';
import { toIncidentMark, toOpenedAt, toState } from '../../parts/incident-state.ts';
import page from '../../parts/page.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Mark } from '../../parts/state.tsx';
import { Age, Elapsed, Time } from '../../parts/time.tsx';
import { findRollback } from './find-rollback.ts';
import styles from './incident.module.css';
import { Resolve } from './resolve.tsx';
import { findRefusal } from '../../parts/find-refusal.ts';
import { useIncidentChange } from './use-incident-change.ts';

/** Shows what is wrong and what to do about it, or how it ended. */
export const Situation = ({ incident }: { incident: Incident }) =>
  toState(incident) === 'Resolved' ? <Ended incident={incident} /> : <Present incident={incident} />;

function Ended({ incident: { status } }: { incident: Incident }) {
  const { resolvedBy, resolvedAt, episode, timeline = [] } = status ?? {};
  const fix = timeline.findLast(({ type }) => type === 'resolved')?.text;
  const stillFires = episode !== undefined && episode.clearedAt === undefined;
  return (
    <div className={page['notice']} data-state={stillFires ? 'warn' : 'done'}>
      <Mark state={stillFires ? 'warn' : 'done'} />
      <p>
        {resolvedBy === 'alert' ? 'The alert cleared' : `${resolvedBy} resolved it`}
        {resolvedAt !== undefined && (
          <>
            {' '}
            at <Time at={resolvedAt} />
          </>
        )}
        {fix === undefined ? '.' : `: ${fix}`}
        {stillFires && ' The alert still fires. The incident stays resolved until the alert clears and fires again.'}
      </p>
    </div>
  );
}

function Present({ incident }: { incident: Incident }) {
  const { org, name, spec, status } = incident;
  const { zone, product, alert } = spec;
  const cause = status?.promotion;
  const rollback = useRollback(incident);
  const acknowledge = useIncidentChange(incident, {
    change: async () => await request('post', '/v1/orgs/{org}/incidents/{name}/acknowledge', { params: { org, name } }),
    done: 'The incident is acknowledged.',
  });
  return (
    <>
      <section
        className={`${failure['failure']} ${styles['present']}`}
        data-state={toIncidentMark(incident)}
        aria-labelledby="wrong"
      >
        <header>
          <Mark state={toIncidentMark(incident)} large />
          <h2 id="wrong">{alert ? `The alert ${alert.name} fires` : 'Reported by a person'}</h2>
          <span className="push">
            <WhoHandles incident={incident} />
          </span>
        </header>
        <dl className={failure['wof']}>
          <dt>What</dt>
          <dd className={styles['text']}>{spec.text ?? spec.title}</dd>
          <dt>On what</dt>
          <dd>
            {zone === undefined ? (
              <>
                <Link to="/$org/products/$product" params={{ org, product }}>
                  {product}
                </Link>
                , no single zone
              </>
            ) : (
              <Link to="/$org/products/$product/zones/$zone" params={{ org, product, zone }}>
                {zone}
              </Link>
            )}
            {alert?.slo !== undefined && (
              <>
                , SLO{' '}
                <Link to="/$org/products/$product/reliability" params={{ org, product }}>
                  {alert.slo}
                </Link>
              </>
            )}
          </dd>
          <dt>Just before</dt>
          <dd>
            {cause === undefined ? (
              'Nothing became healthy there in the 24 hours before.'
            ) : (
              <>
                <Link to="/$org/releases/$release" params={{ org, release: cause.release }}>
                  {product} {cause.version}
                </Link>{' '}
                became healthy there at <Time at={cause.healthyAt} />,{' '}
                <Elapsed from={cause.healthyAt} to={toOpenedAt(incident)} /> before
              </>
            )}
          </dd>
          <dt>How to fix it</dt>
          <dd>
            {cause === undefined
              ? 'Look at the logs of the zone and at what it depends on.'
              : `If that Release is the cause, rolling back is the quickest${rollback ? `: ${rollback.version} ran there before` : ''}.`}
          </dd>
        </dl>
        <footer>
          <Button
            look="primary"
            why={findRefusal(incident.actions, 'acknowledgeIncident')}
            busy={acknowledge.isPending}
            onClick={() => acknowledge.mutate()}
          >
            Acknowledge
          </Button>
          {zone !== undefined && (
            <ButtonLink
              to="/$org/products/$product"
              params={{ org, product }}
              search={{ promote: zone, ...(rollback && { release: rollback.release }) }}
            >
              <Undo2 className="i s" aria-hidden="true" />
              {rollback ? `Roll back ${zone} to ${rollback.version}…` : 'Roll back or promote…'}
            </ButtonLink>
          )}
          <Resolve incident={incident} />
        </footer>
      </section>
      {acknowledge.error && <ProblemNotice error={acknowledge.error} />}
    </>
  );
}

function useRollback(incident: Incident) {
  const { org, spec } = incident;
  const { data: product } = useQuery(productQuery(org, spec.product));
  const { data: promotions } = useQuery({
    ...promotionsQuery(org, { zone: spec.zone ?? '' }),
    enabled: spec.zone !== undefined,
  });
  return findRollback(incident, promotions?.items ?? [], product);
}

function WhoHandles({ incident }: { incident: Incident }) {
  const { acknowledgedBy, acknowledgedAt } = incident.status ?? {};
  if (acknowledgedBy === undefined || acknowledgedAt === undefined)
    return (
      <>
        No one has acknowledged it, <Age since={toOpenedAt(incident)} />
      </>
    );
  return (
    <>
      {acknowledgedBy.split('@')[0]} is on it since <Time at={acknowledgedAt} />
    </>
  );
}
