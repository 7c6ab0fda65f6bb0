import { formatInZone } from './format-in-zone.ts';
import { listNextTimes } from './next-times.ts';

/** The next times of a schedule, also while it is being typed. */
export function ScheduleTimes({ crons, timeZone }: { crons: string[]; timeZone: string }) {
  const times = listNextTimes(crons, timeZone, new Date());
  if (times.length === 0) return <p className="dim small">No time matches this schedule.</p>;
  return (
    <div className="small">
      <p className="dim">Next times ({timeZone || 'UTC'})</p>
      <ul aria-label="Next times">
        {times.map((time) => (
          <li key={time.getTime()}>
            <time dateTime={time.toISOString()} title={time.toISOString()}>
              {formatInZone(time, timeZone)}
            </time>
          </li>
        ))}
      </ul>
    </div>
  );
}
