import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/generated/openapi.ts';
import { OutsideLink } from './outside-link.tsx';
import { Person } from './person.tsx';
import table from './table.module.css';
import { Time } from './time.tsx';
import styles from './comparison.module.css';
import { formatAmount } from './format-amount.ts';

export type Comparison = Schemas['ReleaseComparison'];
type Contents = Schemas['ComparisonContents'];
const rowsMax = 50;

/** Added and deleted lines, with words for screen readers. */
export const Lines = ({ additions, deletions }: { additions: number; deletions: number }) => (
  <span className="num">
    <span className={styles['plus']}>
      +{additions}
      <span className="sr"> lines added,</span>
    </span>{' '}
    <span className={styles['minus']}>
      −{deletions}
      <span className="sr"> lines deleted</span>
    </span>
  </span>
);

/** Says how much a promotion moves: "5 commits in 9 files". */
export function toAmount({ commitCount, commits, files }: Contents): string {
  const moved = formatAmount(commitCount ?? commits.length, 'commit');
  if (!files) return moved;
  return `${moved} in ${files.truncated ? 'more than ' : ''}${formatAmount(files.count, 'file')}`;
}

/** The Changes and the other commits that a zone gains or loses. */
export function ContentsTable({ org, contents }: { org: string; contents: Contents }) {
  const merged = new Set(contents.changes.map(({ mergeCommit }) => mergeCommit));
  const others = contents.commits.filter(({ sha }) => !merged.has(sha));
  const rest = others.length - rowsMax;
  if (contents.changes.length + others.length === 0)
    return <p className="dim">No commit: both sides have the same content.</p>;
  return (
    <>
      <table className={`${table['tbl']} ${table['mid']}`}>
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Issue</th>
            <th scope="col">Approved by</th>
            <th scope="col">Commit</th>
            <th scope="col" className={table['n']}>
              Merged
            </th>
          </tr>
        </thead>
        <tbody>
          {contents.changes.map(({ run, title, issue, approvedBy, mergeCommit, mergedAt }) => (
            <tr key={run}>
              <th scope="row">
                <Link className={table['title']} to="/$org/changes/$run" params={{ org, run }}>
                  {title ?? run}
                </Link>
              </th>
              <td data-l="Issue">{issue !== undefined && `#${issue}`}</td>
              <td data-l="Approved by">{approvedBy !== undefined && <Person email={approvedBy} />}</td>
              <td data-l="Commit">
                <code>{mergeCommit.slice(0, 7)}</code>
              </td>
              <td data-l="Merged" className={table['n']}>
                {mergedAt !== undefined && <Time at={mergedAt} />}
              </td>
            </tr>
          ))}
          {others.slice(0, rowsMax).map(({ sha, title, url }) => (
            <tr key={sha}>
              <th scope="row">{title}</th>
              <td className="faint" colSpan={2}>
                Without a Change
              </td>
              <td data-l="Commit">
                <OutsideLink href={url}>
                  <code>{sha.slice(0, 7)}</code>
                </OutsideLink>
              </td>
              <td />
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p className="dim small">And {formatAmount(rest, 'more commit')}.</p>}
    </>
  );
}
