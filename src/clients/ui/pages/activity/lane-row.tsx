import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/generated/openapi.ts';
import { toState, toWords } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import timeline from '../../parts/timeline.module.css';
import { formatDuration } from '../../parts/time.tsx';
import { describeSpan } from './describe-span.ts';

export type Lane = Schemas['ActivityLane'];
type Rove = { 'data-rove': boolean; tabIndex: number };
type Props = { org: string; lane: Lane; now: number; start: number; end: number } & Rove;

/** A run or Release with a bar for each of its spans. */
export function LaneRow({ org, lane, now, start, end, ...rove }: Props) {
  const toPercent = (at: number): number => (100 * (Math.min(Math.max(at, start), end) - start)) / (end - start);
  return (
    <div className={timeline['r']} role="row">
      <div className={timeline['nm']} role="rowheader">
        <Mark state={toState(lane.phase)} />
        <LaneLink org={org} lane={lane} className="clip" {...rove} />
      </div>
      <div className={timeline['track']} role="cell">
        {lane.spans.map((span) => {
          const from = Date.parse(span.from);
          const to = span.to === undefined ? now : Date.parse(span.to);
          const isSentBack = span.state === 'sent-back';
          return (
            <span
              key={`${span.name} ${span.zone} ${span.from} ${span.state}`}
              className={`${timeline['bar']} ${isSentBack ? timeline['sent'] : ''}`}
              data-state={isSentBack ? undefined : span.state}
              title={`${describeSpan(span, lane.kind)}, ${formatDuration(to - from)}`}
              style={{ left: `${toPercent(from)}%`, width: `${Math.max(0.4, toPercent(to) - toPercent(from))}%` }}
            />
          );
        })}
        <span className="sr">{toWords(lane.phase)}</span>
      </div>
      <div className={`${timeline['n']} dim`} role="cell">
        {toCost(lane)}
      </div>
    </div>
  );
}

export const toCost = (lane: Lane): string =>
  lane.kind === 'run' ? `$${(lane.costMicroUsd / 1_000_000).toFixed(2)}` : '';

export const LaneLink = ({ org, lane, ...rove }: { org: string; lane: Lane; className?: string } & Partial<Rove>) =>
  lane.kind === 'release' ? (
    <Link to="/$org/releases/$release" params={{ org, release: lane.name }} {...rove}>
      Release {lane.version}
    </Link>
  ) : (
    <Link to="/$org/changes/$run" params={{ org, run: lane.name }} {...rove}>
      {lane.number !== undefined && <span className="dim">#{lane.number} </span>}
      {lane.title ?? lane.agentWorkflow}
    </Link>
  );
