import { Fragment } from 'react';
import type { AuditEntry } from '../../../api/queries/audit.ts';
import { Button } from '../../../parts/button.tsx';
import { Person } from '../../../parts/person.tsx';
import { Status } from '../../../parts/state.tsx';
import table from '../../../parts/table.module.css';
import { Time } from '../../../parts/time.tsx';
import styles from './audit.module.css';
import { EntryDetails } from './entry-details.tsx';
import { resultWords } from './result-words.ts';

/** The entries, newest first; the details of one open below it. */
export const AuditTable = ({
  entries,
  open,
  onOpen,
}: {
  entries: AuditEntry[];
  open: string | undefined;
  onOpen: (id: string | undefined) => void;
}) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Change</th>
        <th scope="col">Resource</th>
        <th scope="col">By</th>
        <th scope="col">Result</th>
        <th scope="col" className={table['n']}>
          Began
        </th>
        <td />
      </tr>
    </thead>
    <tbody>
      {entries.map((entry) => {
        const { id, operation, by, result, reason, at } = entry;
        const [state, words] = resultWords[result];
        const isOpen = id === open;
        return (
          <Fragment key={id}>
            <tr className={isOpen ? table['sel'] : undefined}>
              <th scope="row" className={table['title']}>
                {operation}
              </th>
              <td data-l="Resource" className={styles['target']}>
                {describeTarget(entry)}
              </td>
              <td data-l="By">{by === undefined ? 'Not signed in' : <Person email={by} />}</td>
              <td data-l="Result">
                <Status state={state} words={words} />
                {reason !== undefined && <div className="dim">{reason}</div>}
              </td>
              <td data-l="Began" className={table['n']}>
                <Time at={at} />
              </td>
              <td className="right">
                <Button
                  small
                  aria-expanded={isOpen}
                  aria-label={`Details of ${operation} by ${by ?? 'a stranger'} at ${at}`}
                  onClick={() => onOpen(isOpen ? undefined : id)}
                >
                  Details
                </Button>
              </td>
            </tr>
            {isOpen && (
              <tr>
                <td colSpan={6}>
                  <EntryDetails entry={entry} />
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
    </tbody>
  </table>
);

/** Names the resources that were written, or else what the path of the operation names. */
function describeTarget({ changes, parameters }: AuditEntry): string {
  const [first, ...others] = changes;
  if (first) return `${first.kind} ${first.name}${others.length > 0 ? ` and ${others.length} more` : ''}`;
  const names = parameters.filter(({ name }) => name.startsWith('path.') && name !== 'path.org');
  return names.map(({ value }) => String(value)).join(' · ') || '–';
}
