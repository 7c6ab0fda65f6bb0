import type { Schemas } from '../../api/generated/openapi.ts';
import type { Step } from '../../api/types.ts';
import { formatAmount } from '../../parts/format-amount.ts';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { toWords } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import { formatDuration, Time } from '../../parts/time.tsx';
import table from '../../parts/table.module.css';
import { EvidenceChips } from './evidence-chips.tsx';
import styles from './steps.module.css';

type Round = Schemas['Round'];
type Props = { step: Step; evidence: Schemas['Artifact'][]; rounds: Round[] };

/** The findings of a step by criterion, with the files that show them. */
export function StepResult({ step, evidence, rounds }: Props) {
  const { phase, failure, retrying, waitingFor, verdict, decision, posts = [], links, skippedEvidence = [] } = step;
  const isEmpty = !verdict && !failure && !waitingFor && !decision && !retrying && rounds.length < 2;
  return (
    <>
      {failure && (
        <p>
          {failure.message} <span className="dim">{failure.fix}</span>
        </p>
      )}
      {retrying && (
        <p>
          Waiting to try again at <Time at={retrying.nextAt} />, after {formatAmount(retrying.attempt, 'attempt')}:{' '}
          {retrying.message}
        </p>
      )}
      {waitingFor?.message !== undefined && <p>Waiting: {waitingFor.message}</p>}
      {verdict && <p className={styles['said']}>{verdict.summary}</p>}
      {decision && (
        <p>
          {decision.outcome === 'approved' ? 'Approved' : 'Rejected'} by {decision.by}
          {decision.note !== undefined && `: ${decision.note}`}
        </p>
      )}
      {verdict?.criteria && <Criteria criteria={verdict.criteria} evidence={evidence} />}
      {rounds.length > 1 && <Rounds rounds={rounds} />}
      {evidence.length > 0 && <EvidenceChips files={evidence} />}
      {skippedEvidence.map(({ name, reason }) => (
        <p key={name} className="small dim">
          {name} was not kept: {reason}
        </p>
      ))}
      {posts.map(({ to, url, error }) => (
        <p key={to}>
          {error === undefined ? 'Posted to' : 'Not posted to'}{' '}
          {url === undefined ? to : <OutsideLink href={url}>{to}</OutsideLink>}
          {error !== undefined && `: ${error}`}
        </p>
      ))}
      {links.length > 0 && (
        <ul className={styles['links']}>
          {links.map(({ title, url }) => (
            <li key={url}>
              <OutsideLink href={url}>{title}</OutsideLink>
            </li>
          ))}
        </ul>
      )}
      {isEmpty && <p className="dim">{toWords(phase)}. Nothing to show yet.</p>}
    </>
  );
}

type Criterion = { criterion: string; met: boolean; note: string };
type CriteriaProps = { criteria: Criterion[]; evidence: Schemas['Artifact'][] };

const Criteria = ({ criteria, evidence }: CriteriaProps) => (
  <ul className={styles['crit']} aria-label="Success criteria">
    {criteria.map(({ criterion, met, note }) => {
      // An agent names the files that prove a criterion in its note.
      const named = evidence.filter(({ name }) => note.includes(name));
      return (
        <li key={criterion}>
          <Mark state={met ? 'done' : 'failed'} />
          <span>
            {criterion}
            <small>
              {met ? '' : 'Not met. '}
              {note}
            </small>
            {named.length > 0 && <EvidenceChips files={named} small />}
          </span>
        </li>
      );
    })}
  </ul>
);

const triggers: Record<string, string> = {
  start: 'Start',
  'changes-requested': 'Sent back by a review',
  guidance: 'Guidance of a person',
  conflicts: 'Conflict',
  restart: 'Started again',
};

function Rounds({ rounds }: { rounds: Round[] }) {
  const hasConflicts = rounds.some(({ conflict }) => conflict);
  return (
    <table className={`${table['tbl']} ${table['tight']}`} aria-label="Rounds">
      <thead>
        <tr>
          <th>Round</th>
          <th>Because of</th>
          {hasConflicts && <th>Merged from</th>}
          {hasConflicts && <th>Files with conflicts</th>}
          <th className={table['n']}>Turns</th>
          <th className={table['n']}>Took</th>
        </tr>
      </thead>
      <tbody>
        {rounds.map(({ trigger, firstTurn, turns, startedAt, finishedAt, conflict }, index) => (
          <tr key={firstTurn}>
            <th scope="row">Round {index + 1}</th>
            <td>{triggers[trigger] ?? trigger}</td>
            {hasConflicts && <td data-l="Merged from">{conflict && <code>{conflict.base.slice(0, 7)}</code>}</td>}
            {hasConflicts && <td data-l="Files">{conflict?.files.map(toFileName).join(', ')}</td>}
            <td className={table['n']} data-l="Turns">
              {turns}
            </td>
            <td className={table['n']} data-l="Took">
              {startedAt !== undefined &&
                finishedAt !== undefined &&
                formatDuration(Date.parse(finishedAt) - Date.parse(startedAt))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const toFileName = (path: string): string => path.split('/').at(-1) ?? path;
