import type { Stage } from '../../api/types.ts';
import { toStageState, type State } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import styles from './strip.module.css';

const defaultWords: Record<State, string> = {
  done: 'Done',
  working: 'In progress',
  waiting: 'Waiting for a person',
  warn: 'Warning',
  failed: 'Failed',
  idle: 'Not started',
  held: 'On hold',
};

/** The stages of a Change, from its issue to production. */
export function Strip({ stages }: { stages: Stage[] }) {
  const current = findCurrent(stages);
  const now = stages[current];
  return (
    <nav className={styles['strip']} aria-label="How far this Change is">
      <ol>
        {stages.map((stage, index) => (
          <Station key={`${stage.stage} ${stage.label}`} stage={stage} isCurrent={index === current} />
        ))}
      </ol>
      {now && (
        <p className={styles['now']} aria-hidden="true">
          <span>{now.label}</span>
          <span className="dim">{toSub(now)}</span>
        </p>
      )}
    </nav>
  );
}

/** The stage that a person should look at: one that waits, has failed or is in progress, else the last that is done. */
function findCurrent(stages: Stage[]): number {
  for (const colour of ['amber', 'red', 'blue']) {
    const index = stages.findIndex((stage) => stage.colour === colour);
    if (index >= 0) return index;
  }
  return stages.findLastIndex(({ colour }) => colour === 'green');
}

function Station({ stage, isCurrent }: { stage: Stage; isCurrent: boolean }) {
  const state = toStageState(stage.colour);
  const content = (
    <>
      <Mark state={state} large />
      <span className={styles['lbl']}>{stage.label}</span>
      <span className={styles['sub']} title={stage.detail}>
        {toSub(stage)}
      </span>
    </>
  );
  return (
    <li data-state={state} aria-current={isCurrent ? 'step' : undefined}>
      {stage.url === undefined ? (
        <span className={styles['station']}>{content}</span>
      ) : (
        <a className={styles['station']} href={stage.url} rel="noreferrer">
          {content}
        </a>
      )}
    </li>
  );
}

const toSub = ({ stage, colour, detail }: Stage): string => {
  const words = defaultWords[toStageState(colour)];
  if (stage === 'merged' && detail !== undefined) return detail.slice(0, 7);
  return stage === 'issue' ? words : (detail ?? words);
};
