import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Table2 } from 'lucide-react';
import { type CSSProperties, useCallback, useDeferredValue, useMemo } from 'react';
import { roundsQuery } from '../../api/queries/transcript.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { RowGroups } from './row-groups.tsx';
import styles from '../../parts/timeline.module.css';
import { formatClock } from '../../parts/format-time.ts';
import { useNow } from '../../parts/time.tsx';
import { toBars } from './to-bars.ts';
import { StepTable } from './step-table.tsx';
import { Legend, Sum } from './timeline-parts.tsx';
import { TimelineRow } from './timeline-row.tsx';
import { useRoving } from '../../parts/use-roving.ts';

const route = getRouteApi('/signed-in/$org/changes/$run');

export const timelineRowHeight = 35;

/** A row for each step with a bar for each round of its work, or the same as a table. */
export function Timeline({ change }: { change: Change }) {
  const { org, name: run, spec, status, createdAt } = change;
  const view = route.useSearch({ select: (search) => search.view });
  const navigate = route.useNavigate();
  const { data: rounds } = useQuery(roundsQuery(org, run));
  const roundsByStep = useMemo(() => Map.groupBy(rounds?.items ?? [], ({ step }) => step), [rounds]);
  const planned = useMemo(() => new Map(spec.steps.map((step) => [step.name, step])), [spec.steps]);
  // The bars move with the clock, which a press need not wait for.
  const now = useDeferredValue(useNow(10_000));
  const steps = status?.steps ?? [];
  const bars = new Map(steps.map((step) => [step.name, toBars(step, roundsByStep.get(step.name), now)]));
  const start = Date.parse(status?.startedAt ?? createdAt);
  const ends = [...bars.values()].flat().map(({ to }) => to);
  const isOver = status?.finishedAt !== undefined;
  const end = Math.max(isOver ? Math.max(...ends, Date.parse(status.finishedAt ?? createdAt)) : now, start + 1_000);
  const { row, toProps } = useRoving(steps.length, 0, { next: 'ArrowDown', previous: 'ArrowUp' });
  const open = useCallback(
    (name: string): void => void navigate({ search: ({ tab: _tab, ...old }) => ({ ...old, step: name }), hash: name }),
    [navigate],
  );
  const render = useCallback(
    (step: Step, index: number) => (
      <TimelineRow
        key={step.name}
        step={step}
        planned={planned.get(step.name)}
        rounds={roundsByStep.get(step.name)}
        now={step.finishedAt === undefined ? now : 0}
        start={start}
        onOpen={open}
        {...toProps(index)}
      />
    ),
    [planned, roundsByStep, now, start, open, toProps],
  );
  const isTable = view === 'table';
  return (
    <>
      {isTable ? (
        <StepTable steps={steps} bars={bars} />
      ) : (
        <div
          className={styles['tl']}
          role="table"
          aria-label="Timeline of steps"
          style={{ '--span': end - start } as CSSProperties}
          {...row}
        >
          <Head start={start} end={end} />
          <RowGroups rows={steps} rowHeight={timelineRowHeight} role="rowgroup" render={render} />
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
