import type { Zone } from '../api/types.ts';
import { Mark } from './state.tsx';
import { toState, toWords, type State } from './phase-state.ts';
import styles from './zone-chip.module.css';

type ZoneStatus = Zone['status'];

/** The state of a zone, with the word for it. */
export function toZoneState(status: ZoneStatus | undefined): { state: State; words: string } {
  if (status?.removal) return { state: 'working', words: 'Being removed' };
  if (status?.freeze) return { state: 'held', words: 'Frozen' };
  if (status?.currentPromotion) {
    const { phase, version } = status.currentPromotion;
    return { state: toState(phase), words: `${version}: ${toWords(phase)}` };
  }
  if (status?.failure) return { state: 'failed', words: 'Failed' };
  if (status?.hold) return { state: 'held', words: 'On hold after a rollback' };
  if (status?.verifiedAt !== undefined) return { state: 'done', words: 'Verified' };
  return { state: 'idle', words: 'Nothing runs here yet' };
}

export function ZoneChip({ name, status }: { name: string; status: ZoneStatus | undefined }) {
  const { state, words } = toZoneState(status);
  return (
    <span className={styles['chip']} title={words}>
      <Mark state={state} />
      {name} <b>{status?.version ?? 'empty'}</b>
      <span className="sr">{words}</span>
    </span>
  );
}
