import { Copy, CopyButton } from '../../parts/copy.tsx';
import { Section } from '../../parts/page.tsx';
import { Status } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { formatZoneFile, ownershipMarks, trafficMarks, type Domain } from '../domains/domain-state.ts';
import styles from './domain.module.css';

/** The records of the domain, to copy one by one or as a zone file. */
export function Records({ domain: { spec, records, status } }: { domain: Domain }) {
  const { checks } = status;
  const isManaged = spec.kind === 'managed';
  return (
    <Section
      id="records"
      title={isManaged ? 'Records that the service sets' : 'Records to add at your DNS provider'}
      note={isManaged ? 'No action needed' : 'Copy name and value as they are'}
      aside={<CopyButton text={formatZoneFile(records)} label="Copy as a zone file" />}
    >
      <table className={`${table['tbl']} ${table['mid']}`}>
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col" className={styles['name']}>
              Name
            </th>
            <th scope="col" className={styles['value']}>
              Value
            </th>
            <th scope="col">Purpose</th>
            <th scope="col">Found</th>
          </tr>
        </thead>
        <tbody>
          {records.map(({ type, name, value, purpose }) => {
            const [state, words] = checks
              ? type === 'TXT'
                ? ownershipMarks[checks.ownership.verdict]
                : trafficMarks[checks.traffic.verdict]
              : (['idle', 'Not checked yet'] as const);
            return (
              <tr key={`${type} ${name} ${value}`}>
                <th scope="row" className="mono">
                  {type}
                </th>
                <td data-l="Name">
                  <Copy text={name} label={`Copy the name of the ${type} record`} />
                </td>
                <td data-l="Value">
                  <Copy text={value} label={`Copy the value of the ${type} record`} />
                </td>
                <td className="dim">{purpose.charAt(0).toUpperCase() + purpose.slice(1)}.</td>
                <td data-l="Found">
                  <Status state={state} words={words} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Section>
  );
}
