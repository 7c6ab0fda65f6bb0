import { useNavigate } from '@tanstack/react-router';
import type { Issue } from '../../api/queries/issues.ts';
import { Button } from '../../parts/button.tsx';
import { SearchInput } from '../../parts/search-input.tsx';
import { Select } from '../../parts/select.tsx';
import styles from './board.module.css';
import { toKey } from './moves.ts';
import { NewIssue } from './new-issue.tsx';
import type { BoardSearch } from './route.ts';

/** The filters of the board, which are in the address, and the way to write an issue. */
export function Filters({
  org,
  product,
  issues,
  search,
  whyNot,
  onCreated,
}: {
  org: string;
  product: string;
  issues: Issue[];
  search: BoardSearch;
  /** Why the person may not write an issue. */
  whyNot: string | undefined;
  onCreated: (issue: string) => void;
}) {
  const navigate = useNavigate({ from: '/$org/products/$product/board' });
  const set = (name: Exclude<keyof BoardSearch, 'new'>, value: string, replace = false): void =>
    void navigate({
      replace,
      search: ({ [name]: _old, ...rest }) => ({ ...rest, ...(value !== '' && { [name]: value }) }),
    });
  const labels = [...new Set(issues.flatMap((issue) => issue.labels))].toSorted();
  const repos = [...new Set(issues.map(({ repo }) => repo))].toSorted();
  return (
    <div className={styles['filters']} role="search">
      <SearchInput
        aria-label="Filter issues"
        placeholder="Filter issues"
        words={search.q ?? ''}
        onSearch={(words, isFurther) => set('q', words, isFurther)}
      />
      <Select
        label="Label"
        value={search.label ?? ''}
        options={[['', 'Any label'], ...withValue(labels, search.label)]}
        onChange={(value) => set('label', value)}
      />
      {repos.length > 1 && (
        <Select
          label="Repo"
          value={search.repo ?? ''}
          options={[['', 'Any repo'], ...withValue(repos, search.repo)]}
          onChange={(value) => set('repo', value)}
        />
      )}
      <span className="small dim hide-n">
        Drag, or <kbd>m</kbd> moves the chosen card
      </span>
      <span className="push row">
        <Button why={whyNot} onClick={() => void navigate({ search: (old) => ({ ...old, new: true }) })}>
          New issue
        </Button>
      </span>
      {search.new && whyNot === undefined && (
        <NewIssue
          org={org}
          product={product}
          onClose={() => void navigate({ search: ({ new: _new, ...rest }) => rest, replace: true })}
          onCreated={(issue) => onCreated(toKey(issue))}
        />
      )}
    </div>
  );
}

/** A value of the URL is offered even if no issue has it. */
const withValue = (values: string[], value: string | undefined): [string, string][] =>
  [...new Set([...values, ...(value === undefined ? [] : [value])])].map((one) => [one, one]);
