import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { meQuery } from '../../api/queries/me.ts';
import styles from './settings.module.css';

/** The pages of an org's settings, in the order in which a new org needs them. */
const orgPages = [
  ['General', '/$org/settings'],
  ['Access groups', '/$org/settings/access'],
  ['Code host', '/$org/settings/codehost'],
  ['Deliveries', '/$org/settings/deliveries'],
  ['Models', '/$org/settings/models'],
  ['AgentRoles', '/$org/settings/roles'],
  ['AgentWorkflows', '/$org/settings/workflows'],
  ['Scheduling', '/$org/settings/scheduling'],
  ['Costs', '/$org/settings/costs'],
] as const;

/** The pages that only an org admin may read. */
const adminPages = [
  ['Registries', '/$org/settings/registries'],
  ['Cloud accounts', '/$org/settings/cloud-accounts'],
  ['Audit', '/$org/settings/audit'],
] as const;

/** The settings of an org, of the person and of the installation, with one navigation for all of them. */
export function SettingsLayout() {
  const { data: me } = useSuspenseQuery(meQuery);
  const params = useParams({ strict: false });
  const org = params.org ?? me.orgs[0]?.org;
  const isAdmin = me.platformAdmin || me.orgs.some((one) => one.org === org && one.role === 'org-admin');
  const nav = useScrollToCurrent();
  return (
    <div className={styles['grid']}>
      <nav
        ref={nav}
        className={styles['nav']}
        aria-label="Settings"
        // On a narrow page the links are a row that scrolls, and a browser leaves the half of one outside.
        onFocus={({ target }) => target.scrollIntoView({ block: 'nearest', inline: 'nearest' })}
      >
        {org !== undefined && (
          <>
            <h2>{org}</h2>
            <ul>
              {orgPages.map(([label, to]) => (
                <li key={to}>
                  <Link to={to} params={{ org }} activeOptions={{ exact: to === '/$org/settings' }}>
                    {label}
                  </Link>
                </li>
              ))}
              {isAdmin &&
                adminPages.map(([label, to]) => (
                  <li key={to}>
                    <Link to={to} params={{ org }}>
                      {label}
                    </Link>
                  </li>
                ))}
            </ul>
          </>
        )}
        <h2>You</h2>
        <ul>
          <li>
            <Link to="/settings/account">Your account</Link>
          </li>
          <li>
            <Link to="/settings/tokens">API tokens</Link>
          </li>
        </ul>
        <h2>Installation</h2>
        <ul>
          <li>
            <Link to="/settings" activeOptions={{ exact: true }}>
              Overview
            </Link>
          </li>
          <li>
            <Link to="/settings/licence">Licence</Link>
          </li>
          {me.platformAdmin && (
            <>
              <li>
                <Link to="/settings/users">People</Link>
              </li>
              <li>
                <Link to="/settings/orgs">Orgs</Link>
              </li>
              <li>
                <Link to="/settings/clusters">Clusters</Link>
              </li>
              <li>
                <Link to="/settings/backups">Backups</Link>
              </li>
              <li>
                <Link to="/settings/audit">Audit</Link>
              </li>
            </>
          )}
        </ul>
      </nav>
      <div>
        <Outlet />
      </div>
    </div>
  );
}

/** On a narrow page the links are a row that scrolls: the link of the open page comes to its middle. */
function useScrollToCurrent() {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (!nav.current || !current) return;
    nav.current.scrollTo({ left: current.offsetLeft - (nav.current.clientWidth - current.offsetWidth) / 2 });
  }, [pathname]);
  return nav;
}
