import type { Schemas } from '../../../api/generated/openapi.ts';
import { Details } from '../../../parts/page.tsx';
import { FindingTable } from '../finding-table.tsx';

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
    These environment variables have other values and are ignored:{' '}
    {environment.map(({ variable, values }) => `${variable} (${toText(values)})`).join('; ')}.
  </p>
);

export const Findings = ({ findings }: { findings: Check['findings'] }) => (
  <FindingTable
    findings={findings.map(({ subject, name, ...finding }) => ({
      title: [subjects[subject], name].filter(Boolean).join(' '),
      ...finding,
    }))}
  />
);
