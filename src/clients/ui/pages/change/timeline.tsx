import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Table2 } from 'lucide-react';
import type { Ref } from 'react';
import { roundsQuery } from '../../api/queries/transcript.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { toState, toWords } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import styles from '../../parts/timeline.module.css';
import { Elapsed, formatClock, formatDuration, useNow } from '../../parts/time.tsx';
import { countTurns } from './count-turns.ts';
import { formatCost, formatTokens } from './format-usage.ts';
import { toBars, type Bar } from './to-bars.ts';
import { StepTable } from './step-table.tsx';
import { Legend, Sum } from './timeline-parts.tsx';
import { toRole } from './to-role.ts';
import { useRoving } from './use-roving.ts';

const route = getRouteApi('/signed-in/$org/changes/$run');

/** A row for each step with a bar for each round of its work, or the same as a table. */
export function Timeline({ change }: { change: Change }) {
  const { org, name: run, status, createdAt } = change;
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: rounds } = useQuery(roundsQuery(org, run, countTurns(change)));
  const now = useNow(10_000);
  const steps = status?.steps ?? [];
  const bars = new Map(
    steps.map((step) => [
      step.name,
      toBars(step, rounds?.items.filter((round) => round.step === step.name) ?? [], now),
    ]),
  );
  const start = Date.parse(status?.startedAt ?? createdAt);
  const ends = [...bars.values()].flat().map(({ to }) => to);
  const isOver = status?.finishedAt !== undefined;
  const end = Math.max(isOver ? Math.max(...ends, Date.parse(status.finishedAt ?? createdAt)) : now, start + 1_000);
  const { container, onKeyDown, toProps } = useRoving(steps.length, 0, { next: 'ArrowDown', previous: 'ArrowUp' });
  const isTable = view === 'table';
  return (
    <>
      {isTable ? (
        <StepTable steps={steps} bars={bars} />
      ) : (
        <div
          ref={container as Ref<HTMLDivElement>}
          className={styles['tl']}
          role="table"
          aria-label="Timeline of steps"
          onKeyDown={onKeyDown}
        >
          <Head start={start} end={end} />
          {steps.map((step, index) => (
            <Row
              key={step.name}
              change={change}
              step={step}
              bars={bars.get(step.name) ?? []}
              toPercent={(at) => (100 * (Math.min(Math.max(at, start), end) - start)) / (end - start)}
              rove={toProps(index)}
            />
          ))}
          <Sum steps={steps} />
        </div>
      )}
      <div className={styles['legend']}>
        {!isTable && <Legend bars={[...bars.values()].flat()} />}
        <span className="push">
          <Button
            look="plain"
            small
            aria-pressed={isTable}
            onClick={() =>
              void navigate({
                search: ({ view: _view, ...old }) => (isTable ? old : { ...old, view: 'table' }),
                replace: true,
                resetScroll: false,
              })
            }
          >
            <Table2 className="i s" aria-hidden="true" />
            Table
          </Button>
        </span>
      </div>
    </>
  );
}

const Head = ({ start, end }: { start: number; end: number }) => (
  <div className={`${styles['r']} ${styles['h']}`} role="row">
    <div role="columnheader">Step</div>
    <div className={styles['ax']} role="columnheader">
      <span className="sr">Time</span>
      {[0, 0.25, 0.5, 0.75, 1].map((part) => (
        <span key={part} style={{ left: `${part * 100}%` }}>
          {formatClock(start + part * (end - start), end - start < 4 * 60_000)}
        </span>
      ))}
    </div>
    {['Duration', 'Tokens', 'Cost'].map((title) => (
      <div key={title} className={styles['n']} role="columnheader">
        {title}
      </div>
    ))}
  </div>
);

type RowProps = {
  change: Change;
  step: Step;
  bars: Bar[];
  toPercent: (at: number) => number;
  rove: ReturnType<ReturnType<typeof useRoving>['toProps']>;
};

function Row({ change: { spec }, step, bars, toPercent, rove }: RowProps) {
  const { name, phase, startedAt, finishedAt, usage, reviewRounds } = step;
  const planned = spec.steps.find((one) => one.name === name);
  const note = reviewRounds ? `round ${reviewRounds + 1}` : toRole(planned);
  return (
    <div className={styles['r']} role="row">
      <div className={styles['nm']} role="rowheader">
        <Mark state={toState(phase)} />
        <Link
          from="/$org/changes/$run"
          to="."
          search={({ tab: _tab, ...old }) => ({ ...old, step: name })}
          hash={name}
          replace
          {...rove}
        >
          {name}
        </Link>
        <span className="dim clip">{note}</span>
      </div>
      <div className={styles['track']} role="cell">
        {bars.map(({ from, to, look, words }) => (
          <span
            key={from}
            className={`${styles['bar']} ${look === 'sent' ? styles['sent'] : ''}`}
            data-state={look === 'sent' ? undefined : look}
            title={[words, formatDuration(to - from)].filter(Boolean).join(', ')}
            style={{ left: `${toPercent(from)}%`, width: `${Math.max(0.4, toPercent(to) - toPercent(from))}%` }}
          />
        ))}
        <span className="sr">{toWords(phase)}</span>
      </div>
      <div className={styles['n']} role="cell">
        {startedAt !== undefined && <Elapsed from={startedAt} to={finishedAt} />}
      </div>
      <div className={`${styles['n']} dim`} role="cell">
        {usage && formatTokens(usage)}
      </div>
      <div className={styles['n']} role="cell">
        {usage && formatCost(usage)}
      </div>
    </div>
  );
}
