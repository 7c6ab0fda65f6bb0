import { useEffect } from 'react';
import { togglePause, useLiveStatus } from '../live/live.tsx';
import { formatTime } from '../parts/time.tsx';
import styles from './shell.module.css';

const words = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Every 10 seconds',
  reconnecting: 'Reconnecting',
  paused: 'Paused',
};

/** Says how new the page is; pressing it stops all updates and motion, and starts them again. */
export function LiveDot() {
  const { state, since } = useLiveStatus();
  useEffect(() => void document.body.classList.toggle('pause', state === 'paused'), [state]);
  return (
    <button
      type="button"
      className={`${styles['live']} ${state === 'live' ? '' : styles['off']}`}
      aria-pressed={state === 'paused'}
      aria-keyshortcuts="."
      title={state === 'paused' ? 'Start updates again' : 'Pause updates'}
      onClick={togglePause}
    >
      <span className={styles['t']}>
        {words[state]}
        {(state === 'reconnecting' || state === 'paused') && ` since ${formatTime(since)}`}
      </span>
    </button>
  );
}
