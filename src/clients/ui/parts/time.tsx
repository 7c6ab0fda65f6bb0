import { useSyncExternalStore } from 'react';
import { isPaused } from '../live/live-state.ts';
import { formatTime } from './format-time.ts';

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times of the page, which ticks only while something shows a time. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // A page that is opened while time stands still begins with the present.
  now = Date.now();
  timer ??= setInterval(() => {
    if (isPaused()) return;
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, in steps that are no shorter than a second. */
export const useNow = (stepMs: number): number =>
  useSyncExternalStore(subscribe, () => Math.floor(now / stepMs) * stepMs);

const readDay = (): string => new Date(now).toDateString();

const units: [ms: number, name: string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];

/** Formats a duration by its two largest units: "1 h 12 min". */
export function formatDuration(ms: number): string {
  const rounded = Math.max(0, Math.round(ms / 1_000) * 1_000);
  const index = Math.max(
    0,
    units.findIndex(([unitMs]) => rounded >= unitMs),
  );
  const at = rounded < 1_000 ? units.length - 1 : index;
  const [unitMs, name] = units[at] ?? [1_000, 's'];
  const [nextMs, nextName] = units[at + 1] ?? [1, ''];
  const rest = Math.floor((rounded % unitMs) / nextMs);
  const main = `${Math.floor(rounded / unitMs)} ${name}`;
  return nextName === '' || rest === 0 || at === 0 ? main : `${main} ${rest} ${nextName}`;
}

const toUtc = (at: string): string => at.replace('T', ' ').replace(/\.\d+Z$|Z$/, ' UTC');

export function Time({ at }: { at: string }) {
  // Only a time of another day names its day.
  useSyncExternalStore(subscribe, readDay);
  return (
    <time dateTime={at} title={toUtc(at)}>
      {formatTime(at)}
    </time>
  );
}

const wholeDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });

/** The day of a moment, for what happens at most once a day. */
export const Day = ({ at }: { at: string }) => (
  <time dateTime={at} title={toUtc(at)}>
    {wholeDay.format(new Date(at))}
  </time>
);

/** The time since a moment, which ticks. */
export const Age = ({ since }: { since: string }) => <Since at={since} now="now" />;

/** The time since a moment as a part of a sentence: "just now", "5 min ago". */
export const Ago = ({ since }: { since: string }) => <Since at={since} now="just now" after=" ago" />;

function Since({ at, now, after = '' }: { at: string; now: string; after?: string }) {
  const age = useNow(60_000) - Date.parse(at);
  return (
    <time dateTime={at} title={toUtc(at)}>
      {age < 60_000 ? now : `${formatDuration(Math.floor(age / 60_000) * 60_000)}${after}`}
    </time>
  );
}

/** The time from one moment to another, or until now. Only the latter ticks. */
export const Elapsed = ({ from, to }: { from: string; to?: string | undefined }) =>
  to === undefined ? <Running from={from} /> : <Duration from={from} to={Date.parse(to)} />;

const Running = ({ from }: { from: string }) => <Duration from={from} to={useNow(1_000)} />;

const Duration = ({ from, to }: { from: string; to: number }) => (
  <span className="num">{formatDuration(to - Date.parse(from))}</span>
);
