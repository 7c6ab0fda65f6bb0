import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { Suspense } from 'react';
import { waitingQuery, waitsForViewer } from '../api/queries/me.ts';
import { lazyPart } from '../parts/lazy-file.ts';
import { findPlace, type Place } from './places.ts';
import styles from './place-list.module.css';

const IncidentCount = lazyPart(async () => (await import('./incident-count.tsx')).IncidentCount);

/** The pages of the side bar, or those at the bottom of a phone. */
export function PlaceList({
  places,
  toPath,
  org,
  isPhone = false,
}: {
  places: Place[];
  toPath: (place: Place) => string;
  /** The org whose incidents are counted. */
  org: string | undefined;
  isPhone?: boolean;
}) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const { data: waiting } = useQuery(waitingQuery);
  const count = waiting?.items.filter(waitsForViewer).length ?? 0;
  const shown = isPhone ? places.filter(({ short }) => short !== undefined) : places;
  const current = findPlace(places, pathname);
  return (
    <ul className={styles[isPhone ? 'bottom' : 'side']}>
      {shown.map((place) => {
        const { label, short, icon: Icon, to, letter } = place;
        return (
          <li key={to}>
            <Link
              to={toPath(place)}
              activeProps={{}}
              activeOptions={{ exact: true }}
              aria-current={current === place ? 'page' : undefined}
              title={letter === undefined || isPhone ? undefined : `g then ${letter}`}
            >
              <Icon className="i" aria-hidden="true" />
              <span className="sr-side">{isPhone ? short : label}</span>
              {to === '/' && count > 0 && (
                <span className={styles['count']} role="img" aria-label={`${count} waiting`}>
                  {count}
                </span>
              )}
              {to === '/$org/incidents' && org !== undefined && (
                <Suspense>
                  <IncidentCount org={org} />
                </Suspense>
              )}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
