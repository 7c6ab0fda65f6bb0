import type { Schemas } from '../../api/generated/openapi.ts';
import timeline from '../../parts/timeline.module.css';
import { formatClock, formatTime } from '../../parts/format-time.ts';
import { useRoving } from '../../parts/use-roving.ts';
import styles from './activity.module.css';
import { LaneRow } from './lane-row.tsx';

const dayMs = 24 * 60 * 60_000;
const ticks = [0, 1, 2, 3, 4, 5, 6].map((index) => index / 6);
type Activity = Schemas['Activity'];

/** A lane for each run and Release, grouped by Product. */
export function Lanes({ org, activity, now }: { org: string; activity: Activity; now: number }) {
  const windowMs = activity.hours * 60 * 60_000;
  const end = Math.max(now, Date.parse(activity.to));
  const start = end - windowMs;
  const groups = [...Map.groupBy(activity.items, ({ product }) => product)];
  const rows = groups.flatMap(([, lanes]) => lanes);
  const order = new Map(rows.map((lane, index) => [lane, index]));
  const { row, toProps } = useRoving(rows.length, 0, { next: 'ArrowDown', previous: 'ArrowUp' });
  return (
    <>
      <div
        className={`${timeline['tl']} ${styles['act']}`}
        role="table"
        aria-label="Runs and Releases as lanes"
        {...row}
      >
        <div className={`${timeline['r']} ${timeline['h']}`} role="row">
          <div role="columnheader">Change or Release</div>
          <div className={timeline['ax']} role="columnheader">
            <span className="sr">Time</span>
            {ticks.map((part) => (
              <span key={part} style={{ left: `${part * 100}%` }}>
                {formatTick(start + part * windowMs, windowMs)}
              </span>
            ))}
          </div>
          <div className={timeline['n']} role="columnheader">
            Cost
          </div>
        </div>
        {groups.map(([product, lanes]) => (
          <div role="rowgroup" key={product}>
            <div role="row">
              <div className={styles['grp']} role="rowheader">
                {product}
              </div>
            </div>
            {lanes.map((lane) => (
              <LaneRow
                key={`${lane.kind}-${lane.name}`}
                org={org}
                lane={lane}
                now={now}
                start={start}
                end={end}
                {...toProps(order.get(lane) ?? 0)}
              />
            ))}
          </div>
        ))}
      </div>
      <div className={timeline['legend']}>
        {meanings.map(([state, words]) => (
          <span key={state}>
            <i
              className={`${timeline['bar']} ${state === 'sent' ? timeline['sent'] : ''}`}
              data-state={state === 'sent' ? undefined : state}
            />
            {words}
          </span>
        ))}
      </div>
    </>
  );
}

const formatTick = (at: number, windowMs: number): string =>
  windowMs > dayMs ? formatTime(new Date(at).toISOString()).replace(/, .*/, '') : formatClock(at);

const meanings: [state: string, words: string][] = [
  ['done', 'Done'],
  ['working', 'Going on'],
  ['waiting', 'Waiting on a person'],
  ['sent', 'Sent back by a review'],
  ['held', 'Frozen'],
  ['failed', 'Failed'],
];
