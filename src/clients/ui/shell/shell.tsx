import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { GitPullRequestArrow, Package, UserRoundCheck, type LucideIcon } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { meQuery, waitingQuery } from '../api/queries/me.ts';
import { togglePause, useLive, useLiveStatus } from '../live/live.tsx';
import { formatTime } from '../parts/time.tsx';
import { Crumbs } from './crumbs.tsx';
import { OrgButton } from './org-button.tsx';
import styles from './shell.module.css';

const OrgMenu = lazy(async () => ({ default: (await import('./org-menu.tsx')).OrgMenu }));
const PersonMenu = lazy(async () => ({ default: (await import('./person-menu.tsx')).PersonMenu }));

type Place = { label: string; short: string; icon: LucideIcon; to: '/' | '/$org' | '/$org/changes' };
const places: Place[] = [
  { label: 'Waiting for you', short: 'Waiting', icon: UserRoundCheck, to: '/' },
  { label: 'Products', short: 'Products', icon: Package, to: '/$org' },
  { label: 'Changes', short: 'Changes', icon: GitPullRequestArrow, to: '/$org/changes' },
];

/** The frame of every page of a signed-in person. */
export function Shell() {
  const { data: me } = useSuspenseQuery(meQuery);
  const params = useParams({ strict: false });
  const org = params.org ?? me.orgs[0]?.org;
  useLive({ kind: 'waiting' });
  return (
    <>
      <a className={styles['skip']} href="#main">
        Skip to content
      </a>
      <div className={styles['app']}>
        <aside className={styles['side']} aria-label="Org and pages">
          <Suspense fallback={<OrgButton org={org} />}>
            <OrgMenu org={org} orgs={me.orgs} />
          </Suspense>
          <nav aria-label="Main">
            <Places org={org} />
          </nav>
          <div className={styles['foot']}>
            <LiveDot />
            <Suspense fallback={<span className={styles['me']}>{me.email}</span>}>
              <PersonMenu email={me.email} />
            </Suspense>
          </div>
        </aside>
        <div>
          <header className={styles['top']}>
            <Crumbs />
            <div className={styles['phone']}>
              <Suspense>
                <PersonMenu email={me.email} side="bottom" />
              </Suspense>
            </div>
          </header>
          <main id="main" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
      </div>
      <nav className={styles['bottom']} aria-label="Main, phone">
        <Places org={org} isPhone />
      </nav>
    </>
  );
}

function Places({ org, isPhone = false }: { org: string | undefined; isPhone?: boolean }) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const { data: waiting } = useQuery(waitingQuery);
  const count = waiting?.items.filter(({ actions }) => actions.some(({ allowed }) => allowed)).length ?? 0;
  const shown = places.filter(({ to }) => to === '/' || org !== undefined);
  const current = findPlace(pathname);
  return (
    <ul>
      {shown.map(({ label, short, icon: Icon, to }) => (
        <li key={to}>
          <Link
            to={to}
            params={{ org: org ?? '' }}
            activeProps={{}}
            activeOptions={{ exact: true }}
            aria-current={current === to ? 'page' : undefined}
          >
            <Icon className="i" aria-hidden="true" />
            <span className={styles['t']}>{isPhone ? short : label}</span>
            {to === '/' && count > 0 && (
              <span className={styles['count']} data-state="waiting" role="img" aria-label={`${count} waiting`}>
                {count}
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function findPlace(pathname: string): Place['to'] {
  const [, org, section] = pathname.split('/');
  if (!org) return '/';
  return section === 'changes' ? '/$org/changes' : '/$org';
}

const words = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Every 10 seconds',
  reconnecting: 'Reconnecting',
  paused: 'Paused',
};

/** Says how new the page is; pressing it stops all updates and motion, and starts them again. */
function LiveDot() {
  const { state, since } = useLiveStatus();
  useEffect(() => void document.body.classList.toggle('pause', state === 'paused'), [state]);
  return (
    <button
      type="button"
      className={`${styles['live']} ${state === 'live' ? '' : styles['off']}`}
      aria-pressed={state === 'paused'}
      title={state === 'paused' ? 'Start updates again' : 'Pause updates'}
      onClick={togglePause}
    >
      <span className={styles['t']}>
        {words[state]}
        {(state === 'reconnecting' || state === 'paused') && ` since ${formatTime(since)}`}
      </span>
    </button>
  );
}
