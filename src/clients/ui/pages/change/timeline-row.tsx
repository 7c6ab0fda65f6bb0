import { type CSSProperties, memo, type MouseEvent } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import type { Step } from '../../api/types.ts';
import { toState, toWords } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import styles from '../../parts/timeline.module.css';
import { Elapsed, formatDuration } from '../../parts/time.tsx';
import { formatCost, formatTokens } from './format-usage.ts';
import { toBars } from './to-bars.ts';
import { toRole, type PlannedStep } from './to-role.ts';

type Props = {
  step: Step;
  planned: PlannedStep | undefined;
  rounds: Schemas['Round'][] | undefined;
  /** The end of a step that has not finished. */
  now: number;
  /** The time at which the timeline begins. The end moves with the clock, so only the styles know it. */
  start: number;
  onOpen: (name: string) => void;
  tabIndex: number;
};

/** A step with its bars. A Change may have hundreds: a row is rendered only when its step changes. */
export const TimelineRow = memo(function TimelineRow({ step, planned, rounds, now, start, onOpen, ...rove }: Props) {
  const { name, phase, startedAt, finishedAt, usage, reviewRounds } = step;
  const note = reviewRounds ? `round ${reviewRounds + 1}` : toRole(planned);
  return (
    <div className={styles['r']} role="row">
      <div className={styles['nm']} role="rowheader">
        <Mark state={toState(phase)} />
        {/* A router link would render again on every change of the URL. */}
        <a
          href={`?step=${encodeURIComponent(name)}#${name}`}
          onClick={(event) => isPlain(event) && (event.preventDefault(), onOpen(name))}
          {...rove}
        >
          {name}
        </a>
        <span className="dim clip">{note}</span>
      </div>
      <div className={styles['track']} role="cell">
        {toBars(step, rounds, now).map(({ from, to, look, words }) => (
          <span
            key={from}
            className={`${styles['bar']} ${styles['part']} ${look === 'sent' ? styles['sent'] : ''}`}
            data-state={look === 'sent' ? undefined : look}
            title={[words, formatDuration(to - from)].filter(Boolean).join(', ')}
            style={{ '--from': from - start, '--to': to - start } as CSSProperties}
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
});

/** With a modifier key, the browser opens a link elsewhere. */
const isPlain = ({ metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  !(metaKey || ctrlKey || shiftKey || altKey);
