import type { Step } from '../../api/types.ts';
import styles from '../../parts/timeline.module.css';
import { formatDuration } from '../../parts/time.tsx';
import { formatCost, formatTokens, sumUsage } from './format-usage.ts';
import type { Bar } from './to-bars.ts';

/** The time and cost of all agents together. */
export function Sum({ steps }: { steps: Step[] }) {
  const usage = sumUsage(steps);
  if (!usage) return null;
  const workedMs = steps.reduce(
    (sum, { usage: used, startedAt, finishedAt }) =>
      sum + (used && startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : 0),
    0,
  );
  return (
    <div className={`${styles['r']} ${styles['f']}`} role="row">
      <div role="rowheader">Agents, in all</div>
      <div role="cell" />
      <div className={styles['n']} role="cell">
        {formatDuration(workedMs)}
      </div>
      <div className={styles['n']} role="cell">
        {formatTokens(usage)}
      </div>
      <div className={styles['n']} role="cell">
        {formatCost(usage)}
      </div>
    </div>
  );
}

const meanings: [look: Bar['look'], words: string][] = [
  ['done', 'Passed'],
  ['sent', 'Sent back by a review'],
  ['working', 'Running, grows'],
  ['waiting', 'Waiting on a person'],
  ['failed', 'Failed'],
];

/** The meanings of the bars that are shown. */
export const Legend = ({ bars }: { bars: Bar[] }) =>
  meanings
    .filter(([look]) => bars.some((bar) => bar.look === look))
    .map(([look, words]) => (
      <span key={look}>
        <i
          className={`${styles['bar']} ${look === 'sent' ? styles['sent'] : ''}`}
          data-state={look === 'sent' ? undefined : look}
        />
        {words}
      </span>
    ));
