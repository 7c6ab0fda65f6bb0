import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { Failure } from '../../parts/failure.tsx';
import page from '../../parts/page.module.css';
import { Person } from '../../parts/person.tsx';
import type { State } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import styles from './zone.module.css';
import { isMachine, toWaitedFor } from '../../parts/waited-for.ts';

type Zone = Schemas['ZoneDetails'];

/** Tells why the zone waits, is held, or has failed. */
export function ZoneNotices({ zone }: { zone: Zone }) {
  const { org, name, status, waitingFor, offeredRelease } = zone;
  const { currentPromotion: promotion, freeze, hold, failure, addressCheck, refusedDecision, settings } = status;
  return (
    <div className={styles['notices']}>
      {promotion && waitingFor && (
        <Notice
          state="waiting"
          aside={
            <>
              Since <Time at={waitingFor.since} />
            </>
          }
        >
          <b>
            {promotion.version} waits{isMachine(waitingFor.role) ? '' : ' for a person'}:{' '}
            {waitingFor.message ?? `${toWaitedFor(waitingFor.role)} decides`}.
          </b>{' '}
          <Link to="/$org/releases/$release" params={{ org, release: promotion.release }} hash="decision">
            Review {promotion.version}
          </Link>
        </Notice>
      )}
      {freeze && (
        <Notice
          state="held"
          aside={
            <>
              <Person email={freeze.by} />, <Ago since={freeze.since} />
            </>
          }
        >
          <b>Frozen: {freeze.reason}</b> Promotions wait{' '}
          {freeze.until === undefined ? (
            'until a person unfreezes the zone'
          ) : (
            <>
              until <Time at={freeze.until} />
            </>
          )}
          .
        </Notice>
      )}
      {hold && (
        <Notice
          state="held"
          aside={
            <>
              <Person email={hold.by} />, <Ago since={hold.since} />
            </>
          }
        >
          <b>Rolled back to {hold.version}.</b> Automatic promotions wait until a person promotes {hold.newestVersion}.
        </Notice>
      )}
      {offeredRelease && !promotion && (
        <Notice state="idle">
          {status.version === undefined ? 'Nothing runs here yet' : `${status.version} runs here`}, and{' '}
          <Link to="/$org/releases/$release" params={{ org, release: offeredRelease.name }}>
            {offeredRelease.version}
          </Link>{' '}
          can be promoted.
        </Notice>
      )}
      {failure && <Failure title={`The last promotion to ${name} failed`} failure={failure} />}
      {settings?.phase === 'Failed' && (
        <Notice state="failed">
          <b>The settings are not applied.</b> {settings.message}
        </Notice>
      )}
      {addressCheck && (!addressCheck.reachable || addressCheck.certificate === 'invalid') && (
        <Notice state="warn">
          <b>{addressCheck.url}:</b> {addressCheck.message}
        </Notice>
      )}
      {refusedDecision && (
        <Notice state="warn">
          <b>A decision was refused:</b> {refusedDecision.action} by {refusedDecision.by}. {refusedDecision.reason}
        </Notice>
      )}
    </div>
  );
}

const Notice = ({ state, aside, children }: { state: State; aside?: ReactNode; children: ReactNode }) => (
  <div className={page['notice']} data-state={state}>
    <Mark state={state} />
    <p>{children}</p>
    {aside && <span className={`${page['acts']} small dim`}>{aside}</span>}
  </div>
);
