import type { Change, Step } from '../../api/types.ts';
import { toState, toWords } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import styles from '../../parts/timeline.module.css';
import { Elapsed, formatClock, formatDuration, useNow } from '../../parts/time.tsx';

/** A bar for each step, with its duration, tokens and cost. */
export function Timeline({ change: { status, createdAt } }: { change: Change }) {
  const now = useNow(10_000);
  const steps = status?.steps ?? [];
  const start = Date.parse(status?.startedAt ?? createdAt);
  const ends = steps.map(({ finishedAt }) => (finishedAt === undefined ? 0 : Date.parse(finishedAt)));
  const isOver = status?.finishedAt !== undefined;
  const end = Math.max(isOver ? Math.max(...ends, Date.parse(status.finishedAt ?? createdAt)) : now, start + 1_000);
  const toPercent = (at: number): number => (100 * Math.max(0, Math.min(at, end) - start)) / (end - start);
  return (
    <div className={styles['tl']} role="table" aria-label="Timeline of steps">
      <div className={`${styles['r']} ${styles['h']}`} role="row">
        <div role="columnheader">Step</div>
        <div className={styles['ax']} role="columnheader">
          <span className="sr">Time</span>
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <span key={part} style={{ left: `${part * 100}%` }}>
              {formatClock(start + part * (end - start))}
            </span>
          ))}
        </div>
        <div className={styles['n']} role="columnheader">
          Duration
        </div>
        <div className={styles['n']} role="columnheader">
          Tokens
        </div>
        <div className={styles['n']} role="columnheader">
          Cost
        </div>
      </div>
      {steps.map((step) => (
        <Row key={step.name} step={step} toPercent={toPercent} now={now} />
      ))}
      <Sum steps={steps} />
    </div>
  );
}

function Row({ step, toPercent, now }: { step: Step; toPercent: (at: number) => number; now: number }) {
  const { name, phase, startedAt, finishedAt, usage, reviewRounds } = step;
  const state = toState(phase);
  const left = startedAt === undefined ? 0 : toPercent(Date.parse(startedAt));
  const right = toPercent(finishedAt === undefined ? now : Date.parse(finishedAt));
  return (
    <div className={styles['r']} role="row">
      <div className={styles['nm']} role="rowheader">
        <Mark state={state} />
        <a href={`#${name}`}>{name}</a>
        {reviewRounds ? <span className="dim clip">round {reviewRounds + 1}</span> : null}
      </div>
      <div className={styles['track']} role="cell">
        {startedAt !== undefined && (
          <span
            className={styles['bar']}
            data-state={state}
            style={{ left: `${left}%`, width: `${Math.max(0.4, right - left)}%` }}
          />
        )}
        <span className="sr">{toWords(phase)}</span>
      </div>
      <div className={styles['n']} role="cell">
        {startedAt !== undefined && <Elapsed from={startedAt} to={finishedAt} />}
      </div>
      <div className={`${styles['n']} dim`} role="cell">
        {usage && (usage.inputTokens + usage.outputTokens).toLocaleString('en')}
      </div>
      <div className={styles['n']} role="cell">
        {usage && formatCost(usage)}
      </div>
    </div>
  );
}

type Usage = NonNullable<Step['usage']>;
const formatCost = ({ costMicroUsd, costUnknown }: Pick<Usage, 'costMicroUsd' | 'costUnknown'>): string =>
  costMicroUsd === undefined ? '–' : `${costUnknown ? '≥ ' : ''}$${(costMicroUsd / 1_000_000).toFixed(2)}`;

function Sum({ steps }: { steps: Step[] }) {
  const used = steps.flatMap(({ usage }) => usage ?? []);
  if (used.length === 0) return null;
  const total = (toValue: (usage: Usage) => number): number => used.reduce((sum, usage) => sum + toValue(usage), 0);
  const workedMs = steps
    .filter(({ usage }) => usage)
    .reduce(
      (sum, { startedAt, finishedAt }) =>
        sum + (startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : 0),
      0,
    );
  return (
    <div className={`${styles['r']} ${styles['f']}`} role="row">
      <div role="rowheader">Agents, in all</div>
      <div role="cell" />
      <div className={styles['n']} role="cell">
        {formatDuration(workedMs)}
      </div>
      <div className={styles['n']} role="cell">
        {total(({ inputTokens, outputTokens }) => inputTokens + outputTokens).toLocaleString('en')}
      </div>
      <div className={styles['n']} role="cell">
        {formatCost({ costMicroUsd: total(({ costMicroUsd = 0 }) => costMicroUsd) })}
      </div>
    </div>
  );
}
