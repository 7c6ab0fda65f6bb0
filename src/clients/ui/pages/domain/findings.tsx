import { Details, Section } from '../../parts/page.tsx';
import type { State } from '../../parts/phase-state.ts';
import { Status } from '../../parts/state.tsx';
import { certificateMarks, ownershipMarks, trafficMarks, type Checks, type Domain } from '../domains/domain-state.ts';
import { formatSecond } from './format-second.ts';
import styles from './domain.module.css';

/** Shows the records that each check has found, with those that it expects. */
export function Findings({ domain: { records }, checks }: { domain: Domain; checks: Checks }) {
  const { ownership, traffic, certificates } = checks;
  const toValues = (isWanted: (type: string) => boolean): string[] => [
    ...new Set(records.filter(({ type }) => isWanted(type)).map(({ value }) => value)),
  ];
  return (
    <Section
      id="findings"
      title="Findings"
      note={ownership.authoritative ? 'From the domain’s own name servers' : 'Not from the domain’s own name servers'}
    >
      <div className={styles['findings']}>
        <Finding
          title="Ownership"
          mark={ownershipMarks[ownership.verdict]}
          check={ownership}
          expected={toValues((type) => type === 'TXT')}
        />
        <Finding
          title="Traffic"
          mark={trafficMarks[traffic.verdict]}
          check={traffic}
          expected={toValues((type) => type !== 'TXT')}
        />
        <Finding
          title="Certificates"
          mark={certificateMarks[certificates.verdict]}
          check={certificates}
          none="No CAA record"
          expected={[]}
        />
      </div>
    </Section>
  );
}

type FindingProps = {
  title: string;
  mark: [state: State, words: string];
  check: { observed: string[]; server: string; at: string; message: string };
  expected: string[];
  none?: string;
};

const Finding = ({ title, mark: [state, words], check, expected, none = 'No record' }: FindingProps) => (
  <div>
    <h3>{title}</h3>
    <Status state={state} words={words} />
    <p className="dim small">{check.message}</p>
    <Details
      items={[
        ['Found', check.observed.length === 0 ? none : <code key="found">{check.observed.join(', ')}</code>],
        expected.length > 0 && ['Expected', <code key="expected">{expected.join(' or ')}</code>],
        ['Said by', `${check.server}, ${formatSecond(check.at)}`],
      ]}
    />
  </div>
);
