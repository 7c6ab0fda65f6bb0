import { getRouteApi, Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { SearchInput } from '../../parts/search-input.tsx';
import { Counts } from '../../parts/counts.tsx';
import styles from './diff.module.css';

const route = getRouteApi('/signed-in/$org/changes/$run/diff');

type Props = {
  files: Schemas['DiffFile'][];
  viewed: ReadonlySet<string>;
  current: string | undefined;
  filter: string;
};

/** The paths of a diff, with a tick at those that the person has seen. */
export function FileList({ files, viewed, current, filter }: Props) {
  const navigate = route.useNavigate();
  const setFilter = (q: string, replace: boolean): void =>
    void navigate({
      search: ({ q: _q, ...old }) => (q === '' ? old : { ...old, q }),
      replace,
      resetScroll: false,
    });
  return (
    <nav className={styles['list']} aria-label="Files">
      <label className="sr" htmlFor="filter">
        Filter files
      </label>
      <SearchInput id="filter" placeholder="Filter files" words={filter} onSearch={setFilter} />
      <ul>
        {files.map(({ path, additions, deletions }) => (
          <li key={path}>
            <Link
              from="/$org/changes/$run/diff"
              to="."
              search={(old) => ({ ...old, file: path })}
              resetScroll={false}
              preload={false}
              aria-current={path === current || undefined}
              activeProps={{}}
              data-seen={viewed.has(path) || undefined}
              title={path}
            >
              {viewed.has(path) ? <Check className="i s" aria-hidden="true" /> : <i />}
              {viewed.has(path) && <span className="sr">Seen: </span>}
              <span className={styles['name']}>{path}</span>
              <Counts additions={additions} deletions={deletions} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
