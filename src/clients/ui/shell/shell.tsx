import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useParams, useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { Suspense, useCallback, useMemo, useState } from 'react';
import { meQuery } from '../api/queries/me.ts';
import { useLive } from '../live/live.tsx';
import { Crumbs } from './crumbs.tsx';
import { isMac } from './keys.ts';
import { LiveDot, LiveNote } from './live-dot.tsx';
import { NewVersion } from './new-version.tsx';
import { OrgButton } from './org-button.tsx';
import { Overlays, type Overlay } from './overlays.tsx';
import { PlaceList } from './place-list.tsx';
import { places as allPlaces, type Place } from './places.ts';
import styles from './shell.module.css';
import { lazyPart } from '../parts/lazy-file.ts';
import { Person } from '../parts/person.tsx';

const OrgMenu = lazyPart(async () => (await import('./org-menu.tsx')).OrgMenu);
const PersonMenu = lazyPart(async () => (await import('./person-menu.tsx')).PersonMenu);

/** The frame of every page of a signed-in person. */
export function Shell() {
  const { data: me } = useSuspenseQuery(meQuery);
  const { org: shownOrg } = useParams({ strict: false });
  const org = shownOrg ?? me.orgs[0]?.org;
  const memberOf = me.orgs.find((one) => one.org === org)?.org;
  const { routesByPath } = useRouter();
  const places = useMemo(
    () => allPlaces.filter(({ to }) => to in routesByPath && (org !== undefined || !to.startsWith('/$org'))),
    [org, routesByPath],
  );
  const toPath = useCallback(({ to }: Place) => to.replace('$org', encodeURIComponent(org ?? '')), [org]);
  const [overlay, setOverlay] = useState<Overlay>();
  useLive({ kind: 'waiting' });
  return (
    <>
      <div id="skip-links" />
      <a className={styles['skip']} href="#main">
        Skip to content
      </a>
      <div className={styles['app']}>
        <aside className={styles['side']} aria-label="Org and pages">
          <Suspense fallback={<OrgButton org={org} />}>
            <OrgMenu org={org} orgs={me.orgs} />
          </Suspense>
          <nav aria-label="Main">
            <PlaceList places={places} toPath={toPath} org={memberOf} />
          </nav>
          <div className={styles['foot']}>
            <LiveDot />
            <Suspense
              fallback={
                <span className={styles['me']}>
                  <Person email={me.email} className="sr-side" />
                </span>
              }
            >
              <PersonMenu email={me.email} openSheet={() => setOverlay('sheet')} />
            </Suspense>
          </div>
        </aside>
        <div>
          <header className={styles['top']}>
            <Crumbs />
            <FindButton onClick={() => setOverlay('palette')} />
            <div className={styles['phone']}>
              <LiveDot />
              <Suspense>
                <PersonMenu email={me.email} side="bottom" />
              </Suspense>
            </div>
          </header>
          <main id="main" tabIndex={-1}>
            <LiveNote />
            <NewVersion />
            <Outlet />
          </main>
        </div>
      </div>
      <nav className={styles['bottom']} aria-label="Main, phone">
        <PlaceList places={places} toPath={toPath} org={memberOf} isPhone />
      </nav>
      <Overlays places={places} toPath={toPath} overlay={overlay} setOverlay={setOverlay} />
    </>
  );
}

const FindButton = ({ onClick }: { onClick: () => void }) => (
  <button
    type="button"
    className={styles['find']}
    aria-keyshortcuts={isMac() ? 'Meta+K' : 'Control+K'}
    onClick={onClick}
  >
    <Search className="i s" aria-hidden="true" />
    <span className="sr-narrow">Find or run a command</span>
    <kbd aria-hidden="true">{isMac() ? '⌘ K' : 'Ctrl K'}</kbd>
  </button>
);
