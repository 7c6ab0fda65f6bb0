import type { AuditEntry } from '../../../api/queries/audit.ts';
import table from '../../../parts/table.module.css';
import styles from './audit.module.css';
import { formatAmount } from '../../../parts/format-amount.ts';

type AuditedChange = AuditEntry['changes'][number];
type Value = AuditEntry['parameters'][number]['value'] | undefined;

const actionWords = { created: 'Created', updated: 'Updated', deleted: 'Deleted' };

/** The details of an entry: the person, the request, and each resource before and after. */
export function EntryDetails({ entry }: { entry: AuditEntry }) {
  const facts: [term: string, text: string | undefined][] = [
    ['Time', entry.at],
    ['Person', entry.by],
    ['Signed in by', entry.credential ? `${entry.via} “${entry.credential.label}”` : entry.via],
    ['Address', entry.address],
    ['Program', entry.userAgent],
    ['Request', entry.requestId],
    ['Status', entry.status === undefined ? undefined : String(entry.status)],
  ];
  return (
    <div className={styles['details']}>
      <dl>
        {facts.map(
          ([term, text]) =>
            text !== undefined && (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{text}</dd>
              </div>
            ),
        )}
        {entry.parameters.map(({ name, value }) => (
          <div key={name}>
            <dt className="mono">{name}</dt>
            <dd className="mono">{show(value)}</dd>
          </div>
        ))}
      </dl>
      {entry.changes.map((change, index) => (
        // One request can write a resource several times, and entries never change.
        // oxlint-disable-next-line no-array-index-key
        <ChangedFields key={index} change={change} />
      ))}
    </div>
  );
}

const ChangedFields = ({ change: { action, kind, name, fields, omittedFields } }: { change: AuditedChange }) => (
  <table className={`${table['tbl']} ${table['tight']}`}>
    <caption>
      {actionWords[action]} {kind} {name}
    </caption>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Before</th>
        <th scope="col">After</th>
      </tr>
    </thead>
    <tbody>
      {fields.map(({ field, before, after }) => (
        <tr key={field}>
          <th scope="row" className="mono">
            {field}
          </th>
          <td data-l="Before" className="mono">
            {show(before)}
          </td>
          <td data-l="After" className="mono">
            {show(after)}
          </td>
        </tr>
      ))}
      {omittedFields !== undefined && (
        <tr>
          <td colSpan={3}>{formatAmount(omittedFields, 'more field')}</td>
        </tr>
      )}
    </tbody>
  </table>
);

const show = (value: Value): string => (value === undefined ? '–' : String(value));
