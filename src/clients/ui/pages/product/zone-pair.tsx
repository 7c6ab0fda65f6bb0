import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { Fragment } from 'react';
import type { Zone } from '../../api/types.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Details } from '../../parts/page.tsx';
import { Mark } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { toZoneState } from '../../parts/zone-chip.tsx';
import styles from './zones.module.css';

/** The zones in promotion order, and between two of them what comes next. */
export const ZonePair = ({ zones }: { zones: Zone[] }) => (
  <div className={zones.length === 2 ? styles['pair'] : styles['zones']}>
    {zones.map((zone, index) => (
      <Fragment key={zone.name}>
        {index > 0 && zones.length === 2 && <Cross from={zones[index - 1]} to={zone} />}
        <ZoneBox zone={zone} />
      </Fragment>
    ))}
    {zones.length === 0 && <p className="dim">This Product has no zone, so its Releases are only built and tagged.</p>}
  </div>
);

function ZoneBox({ zone: { org, name, spec, status } }: { zone: Zone }) {
  const { state, words } = toZoneState(status);
  return (
    <section className={styles['zone']} aria-labelledby={`zone-${name}`}>
      <header>
        <Mark state={state} />
        <h2 id={`zone-${name}`}>{name}</h2>
        <span className="push small">{words}</span>
      </header>
      <div className={styles['shot']}>
        {status.screenshot && <Screenshot org={org} zone={name} artifact={status.screenshot.artifact} />}
      </div>
      <div className={styles['in']}>
        <div className={styles['ver']}>
          {status.version === undefined ? (
            'Nothing yet'
          ) : status.release === undefined ? (
            status.version
          ) : (
            <Link className="quiet" to="/$org/releases/$release" params={{ org, release: status.release }}>
              {status.version}
            </Link>
          )}
        </div>
        <Details
          items={[
            status.verifiedAt !== undefined && ['Verified', <Time key="verified" at={status.verifiedAt} />],
            status.commit !== undefined && ['Commit', <code key="commit">{status.commit.slice(0, 7)}</code>],
            status.address !== undefined && [
              'Address',
              <a key="address" href={status.address} rel="noreferrer">
                {new URL(status.address).host} <ExternalLink className="i s inline" aria-label="(another site)" />
              </a>,
            ],
            ['Promotion', spec?.promotionPolicy === 'after-approval' ? 'After approval' : 'Automatic'],
            status.freeze && ['Frozen', status.freeze.reason ?? 'Promotions wait'],
          ]}
        />
      </div>
    </section>
  );
}

const Screenshot = ({ org, zone, artifact }: { org: string; zone: string; artifact: string }) => (
  <img src={`/api/v1/orgs/${org}/artifacts/${artifact.replace(/^artifact:/, '')}`} alt={`The site of ${zone}`} />
);

/** A promotion to the second zone, with the decision that it waits for. */
function Cross({ from, to }: { from: Zone | undefined; to: Zone }) {
  const { org, status } = to;
  const promotion = status.currentPromotion;
  const isCurrent = from?.status.version !== undefined && from.status.version === status.version;
  return (
    <div className={styles['cross']}>
      <div className={styles['in']}>
        {promotion ? (
          <>
            <p>
              <b>{promotion.version}</b>{' '}
              {promotion.phase === 'WaitingForApproval' ? 'waits for approval' : 'is on its way'}
            </p>
            <ButtonLink
              look={promotion.phase === 'WaitingForApproval' ? 'primary' : undefined}
              to="/$org/releases/$release"
              params={{ org, release: promotion.release }}
            >
              {promotion.phase === 'WaitingForApproval' ? `Review ${promotion.version}` : `Follow ${promotion.version}`}
            </ButtonLink>
          </>
        ) : (
          <p className="dim">{isCurrent ? 'Both zones run the same version.' : 'Nothing is on its way.'}</p>
        )}
      </div>
    </div>
  );
}
