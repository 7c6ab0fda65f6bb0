import type { Schemas } from '../../../api/generated/openapi.ts';
import { Details } from '../../../parts/page.tsx';
import { Mark } from '../../../parts/state.tsx';
import table from '../../../parts/table.module.css';

type Check = Schemas['InstallationCheck'];

const words: Record<string, string> = {
  '/platformDomain': 'Platform domain',
  '/managedDomainRoots': 'Roots of managed domains',
  '/signIn/password': 'Sign-in with a password',
};
const subjects: Record<Check['findings'][number]['subject'], string> = {
  'platform-domain': 'Platform domain',
  'managed-domain-root': 'Root',
  'sign-in': 'Sign-in',
};

const toText = (values: string[]): string => (values.length === 0 ? 'None' : values.join(', '));

/** Shows what a save would change. */
export const Changes = ({ changes }: { changes: Check['changes'] }) => (
  <Details
    items={changes.map(({ pointer, before, after }): [string, string] => [
      words[pointer] ?? pointer,
      `${toText(before)} → ${toText(after)}`,
    ])}
  />
);

/** Tells which variables still have other values. */
export const Differences = ({ environment }: { environment: Schemas['InstallationSettings']['environment'] }) => (
  <p className="small dim">
    The environment has other values, which no longer count:{' '}
    {environment.map(({ variable, values }) => `${variable} (${toText(values)})`).join('; ')}.
  </p>
);

/** The findings of a check, each with its fix. */
export const Findings = ({ findings }: { findings: Check['findings'] }) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Checked</th>
        <th scope="col">Result</th>
        <th scope="col">Finding</th>
      </tr>
    </thead>
    <tbody>
      {findings.map(({ subject, name, result, message, fix }) => (
        <tr key={`${subject} ${name ?? ''}`}>
          <th scope="row" className={table['title']}>
            {subjects[subject]} {name}
          </th>
          <td data-l="Result">
            <span className="row">
              <Mark state={result === 'ok' ? 'done' : 'warn'} />
              {result === 'ok' ? 'OK' : 'Warning'}
            </span>
          </td>
          <td data-l="Finding">
            {message}
            {fix !== undefined && <p className="dim">{fix}</p>}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
