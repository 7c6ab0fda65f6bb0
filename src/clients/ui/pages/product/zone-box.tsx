import { Link } from '@tanstack/react-router';
import type { Zone } from '../../api/types.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { FreezeButton } from '../../parts/freeze.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Details } from '../../parts/page.tsx';
import { Mark } from '../../parts/state.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { toZoneState } from '../../parts/zone-chip.tsx';
import { accesses, defaultAccess, policies } from '../../parts/zone-terms.ts';
import styles from './zones.module.css';

/** A zone with the version that it runs, since when, and at which address. */
export function ZoneBox({ zone }: { zone: Zone }) {
  const { org, product, name, spec, status, waitingFor } = zone;
  const { state, words } = toZoneState(status);
  return (
    <section className={styles['zone']} aria-labelledby={`zone-${name}`}>
      <header>
        <Mark state={state} />
        <h2 id={`zone-${name}`}>
          <Link className="quiet" to="/$org/products/$product/zones/$zone" params={{ org, product, zone: name }}>
            {name}
          </Link>
        </h2>
        {status.address !== undefined && (
          <OutsideLink className="push small" href={status.address}>
            Open<span className="sr"> {name}, another site</span>
          </OutsideLink>
        )}
      </header>
      <div className={styles['shot']}>{status.screenshot && <Screenshot zone={zone} />}</div>
      <div className={styles['in']}>
        <div className="between">
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
          <span className={styles['words']} data-state={state}>
            {words}
          </span>
        </div>
        <Details
          items={[
            status.verifiedAt !== undefined && [
              'Since',
              <span key="since">
                <Time at={status.verifiedAt} />, <Ago since={status.verifiedAt} />
              </span>,
            ],
            status.commit !== undefined && ['Commit', <code key="commit">{status.commit.slice(0, 7)}</code>],
            ['Releases arrive', policies[spec?.promotionPolicy ?? 'automatic']],
            ['Who can open it', accesses[spec?.access ?? defaultAccess]],
            status.address !== undefined && [
              'Address',
              <OutsideLink key="address" href={status.address}>
                {new URL(status.address).host}
              </OutsideLink>,
            ],
            status.addressCheck && !status.addressCheck.reachable && ['Reachable', status.addressCheck.message],
            status.freeze && ['Frozen', <Freeze key="freeze" freeze={status.freeze} />],
            status.hold && [
              'On hold',
              `Versions newer than ${status.hold.version} wait, because ${status.hold.by.split('@')[0]} rolled back`,
            ],
            waitingFor?.message !== undefined && ['Waits', waitingFor.message],
            status.failure && ['Failed', `${status.failure.message} ${status.failure.fix}`],
            status.removal && ['Removal', status.removal.message],
          ]}
        />
        <Actions zone={zone} />
      </div>
    </section>
  );
}

type Freeze = NonNullable<Zone['status']['freeze']>;

const Freeze = ({ freeze: { reason, by, since, until } }: { freeze: Freeze }) => (
  <>
    {reason}. By {by.split('@')[0]} since <Time at={since} />
    {until !== undefined && (
      <>
        {' '}
        until <Time at={until} />
      </>
    )}
  </>
);

const Actions = ({ zone }: { zone: Zone }) => (
  <div className={`row wrap ${styles['acts']}`}>
    <ButtonLink
      resetScroll={false}
      to="/$org/products/$product"
      params={{ org: zone.org, product: zone.product }}
      search={{ promote: zone.name }}
    >
      Promote or roll back…<span className="sr"> {zone.name}</span>
    </ButtonLink>
    <FreezeButton zone={zone} />
  </div>
);

const Screenshot = ({ zone: { org, name, status } }: { zone: Zone }) => (
  <img
    src={`/api/v1/orgs/${org}/artifacts/${status.screenshot?.artifact.replace(/^artifact:/, '') ?? ''}`}
    alt={`The site of ${name} at ${status.version ?? 'this version'}`}
  />
);
