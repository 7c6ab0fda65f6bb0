import { useEffect } from 'react';
import { togglePause, useLiveStatus } from '../live/live.tsx';
import { formatTime } from '../parts/format-time.ts';
import { announce } from './announcer.tsx';
import styles from './live-dot.module.css';

const words = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Every 10 seconds',
  reconnecting: 'Reconnecting',
  paused: 'Paused',
};

const toText = ({ state, since }: ReturnType<typeof useLiveStatus>): string =>
  state === 'reconnecting' || state === 'paused' ? `${words[state]} since ${formatTime(since)}` : words[state];

/** Says the same on screens that have no room for the side bar, and on pages that have none. */
export function LiveNote({ hasSideBar = true }: { hasSideBar?: boolean }) {
  const status = useLiveStatus();
  if (status.state !== 'reconnecting') return null;
  return <p className={`dim small ${hasSideBar ? styles['note'] : ''}`}>{toText(status)}</p>;
}

/** Says how new the page is; pressing it stops all updates and motion, and starts them again. */
export function LiveDot() {
  const { state, since } = useLiveStatus();
  const isPaused = state === 'paused';
  // The note of the page says it too, where there is no room.
  const isShort = state === 'live' || state === 'reconnecting';
  useEffect(() => {
    if (!isPaused) return;
    document.body.classList.add('pause');
    announce('Updates and motion are paused.');
    return () => {
      document.body.classList.remove('pause');
      announce('Updates have resumed.');
    };
  }, [isPaused]);
  return (
    <button
      type="button"
      className={`${styles['live']} ${state === 'live' ? '' : styles['off']}`}
      aria-pressed={isPaused}
      aria-keyshortcuts="."
      title={isPaused ? 'Resume updates' : 'Pause updates'}
      onClick={togglePause}
    >
      <span className={`sr-side ${isShort ? 'sr-narrow' : ''}`}>{toText({ state, since })}</span>
    </button>
  );
}
