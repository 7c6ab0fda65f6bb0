import { Link, useMatch, useRouterState } from '@tanstack/react-router';
import styles from './crumbs.module.css';
import { toCrumbs } from './to-crumbs.ts';

/** The breadcrumb is the path of the page. */
export function Crumbs() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const release = useMatch({
    from: '/signed-in/$org/releases/$release',
    shouldThrow: false,
    select: ({ loaderData }) => loaderData?.spec,
  });
  const crumbs = toCrumbs(pathname, release);
  return (
    <nav className={styles['crumbs']} aria-label="Breadcrumb">
      <ol>
        {crumbs.map(({ label, to, search }, index) => (
          <li key={label}>
            {index === crumbs.length - 1 ? (
              <span aria-current="page">{label}</span>
            ) : to === undefined ? (
              label
            ) : (
              <Link to={to} {...(search && { search })}>
                {label}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
