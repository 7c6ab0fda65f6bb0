import { Link, useRouterState } from '@tanstack/react-router';
import styles from './crumbs.module.css';
import { toCrumbs } from './to-crumbs.ts';

/** The breadcrumb is the path of the page. */
export function Crumbs() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const crumbs = toCrumbs(pathname);
  return (
    <nav className={styles['crumbs']} aria-label="Breadcrumb">
      <ol>
        {crumbs.map(({ label, to }, index) => (
          <li key={label}>
            {index === crumbs.length - 1 ? (
              <span aria-current="page">{label}</span>
            ) : to === undefined ? (
              label
            ) : (
              <Link to={to}>{label}</Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
