import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Braces, FileText, Image, Play, type LucideIcon } from 'lucide-react';
import { evidenceQuery } from '../../api/queries/evidence.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import type { Change, Step } from '../../api/types.ts';
import { toState, toWords } from '../../parts/phase-state.ts';
import { Mark, Tag } from '../../parts/state.tsx';
import { formatBytes } from '../../parts/format-bytes.ts';
import styles from './steps.module.css';

type Artifact = Schemas['Artifact'];

/** Each step: its task, its verdict by criterion, and the files that show its work. */
export function Steps({ change }: { change: Change }) {
  const { data: evidence } = useQuery(evidenceQuery(change.org, change.name));
  return (
    <div>
      {change.status?.steps.map((step) => (
        <StepDetails
          key={step.name}
          change={change}
          step={step}
          evidence={evidence?.items.filter((file) => file.step === step.name) ?? []}
        />
      ))}
    </div>
  );
}

const outcomes = {
  done: 'Done',
  approved: 'Approved',
  'changes-requested': 'Changes requested',
  'needs-guidance': 'Needs guidance',
};

function StepDetails({ change, step, evidence }: { change: Change; step: Step; evidence: Artifact[] }) {
  const spec = change.spec.steps.find(({ name }) => name === step.name);
  const state = toState(step.phase);
  const counts = [
    step.reviewRounds ? `${step.reviewRounds + 1} rounds` : '',
    step.turns ? `${step.turns} turns` : '',
    evidence.length > 0 ? `${evidence.length} files of evidence` : '',
  ].filter((text) => text !== '');
  const words = step.phase === 'Succeeded' && step.verdict ? outcomes[step.verdict.outcome] : toWords(step.phase);
  return (
    <details className={styles['step']} id={step.name} open={step.failure !== undefined}>
      <summary>
        <Mark state={state} />
        <b>{step.name}</b>
        {step.phase !== 'Pending' && <Tag state={state}>{words}</Tag>}
        <span className="dim">
          {spec?.type === 'agent' ? spec.role : spec?.type === 'human' ? 'a person' : 'squash'}
        </span>
        <span className="push faint small">{counts.join(', ')}</span>
      </summary>
      <div className={styles['in']}>
        {step.failure && <p>{step.failure.message}</p>}
        {step.retrying && (
          <p>
            Waiting to try again after {step.retrying.attempt} attempts: {step.retrying.message}
          </p>
        )}
        {step.waitingFor?.message !== undefined && <p>Waiting: {step.waitingFor.message}</p>}
        {step.verdict && <p>{step.verdict.summary}</p>}
        {step.decision && (
          <p>
            {step.decision.outcome === 'approved' ? 'Approved' : 'Rejected'} by {step.decision.by}
            {step.decision.note !== undefined && `: ${step.decision.note}`}
          </p>
        )}
        {step.verdict?.criteria && <Criteria criteria={step.verdict.criteria} />}
        {evidence.length > 0 && <Evidence change={change} files={evidence} />}
        {step.links.map(({ title, url }) => (
          <p key={url}>
            <a href={url} rel="noreferrer">
              {title}
            </a>
          </p>
        ))}
        {!step.verdict && !step.failure && !step.waitingFor && !step.decision && (
          <p className="dim">{toWords(step.phase)}. Nothing to show yet.</p>
        )}
      </div>
    </details>
  );
}

const Criteria = ({ criteria }: { criteria: { criterion: string; met: boolean; note: string }[] }) => (
  <ul className={styles['crit']} aria-label="Success criteria">
    {criteria.map(({ criterion, met, note }) => (
      <li key={criterion}>
        <Mark state={met ? 'done' : 'failed'} />
        <span>
          {criterion}
          <small>
            {met ? '' : 'Not met. '}
            {note}
          </small>
        </span>
      </li>
    ))}
  </ul>
);

const Evidence = ({ change: { org, name: run }, files }: { change: Change; files: Artifact[] }) => (
  <div className={styles['evid']}>
    {files.map(({ id, name, type, sizeBytes, url }) => {
      const Icon = findIcon(type);
      return (
        <Link key={id} className={styles['ev']} to="/$org/changes/$run/evidence/$id" params={{ org, run, id }}>
          <span className={styles['pic']}>
            {/^image\/(png|jpeg|webp|gif)$/.test(type) ? (
              <img src={url} alt="" />
            ) : (
              <Icon className="i" aria-hidden="true" />
            )}
          </span>
          <span className={styles['cap']}>
            <b>{name}</b>
            <span>{formatBytes(sizeBytes)}</span>
          </span>
        </Link>
      );
    })}
  </div>
);

function findIcon(type: string): LucideIcon {
  if (type.startsWith('video/')) return Play;
  if (type.startsWith('image/')) return Image;
  return type.includes('json') ? Braces : FileText;
}
