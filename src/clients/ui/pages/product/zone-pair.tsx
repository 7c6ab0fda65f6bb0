import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { Release, Zone } from '../../api/types.ts';
import { Mark } from '../../parts/state.tsx';
import { NextPromotion } from './next-promotion.tsx';
import { ZoneBox } from './zone-box.tsx';
import styles from './zones.module.css';

/** The zones in promotion order, and between two of them what comes next. */
export const ZonePair = ({ product, zones, releases }: { product: string; zones: Zone[]; releases: Release[] }) => (
  <section aria-label="Zones" className={zones.length === 2 ? styles['pair'] : styles['zones']}>
    {zones.map((zone, index) => (
      <Fragment key={zone.name}>
        {index > 0 && zones.length === 2 && zones[0] && (
          <NextPromotion product={product} from={zones[0]} to={zone} releases={releases} />
        )}
        <ZoneBox zone={zone} />
      </Fragment>
    ))}
    {zones.length === 0 && <p className="dim">This Product has no zone, so its Releases are only built and tagged.</p>}
  </section>
);

/** Names the promotion that waits for a person, so that no zone box is searched for it. */
export const WaitingPromotions = ({ product, zones }: { product: string; zones: Zone[] }) => (
  <>
    {zones.flatMap(({ org, name, status: { currentPromotion } }) =>
      currentPromotion?.phase === 'WaitingForApproval' && zones.length !== 2
        ? [
            <p key={name} className="row">
              <Mark state="waiting" />
              <Link
                to="/$org/products/$product"
                params={{ org, product }}
                search={{ promote: name, release: currentPromotion.release }}
              >
                {currentPromotion.version} waits for approval for {name}
              </Link>
            </p>,
          ]
        : [],
    )}
  </>
);
