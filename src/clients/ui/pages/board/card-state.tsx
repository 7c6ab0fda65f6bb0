import { useQuery } from '@tanstack/react-query';
import { waitingQuery, waitsForViewer } from '../../api/queries/me.ts';
import type { Issue } from '../../api/queries/issues.ts';
import { Phase } from '../../parts/state.tsx';
import { Age } from '../../parts/time.tsx';
import { toWaitedFor } from '../../parts/waited-for.ts';
import styles from './board.module.css';

/** The state of the Change of a card, in the words of the board. */
export function CardState({ org, change }: { org: string; change: NonNullable<Issue['change']> }) {
  const { data: waiting } = useQuery(waitingQuery);
  const { run, phase, step, waitingFor } = change;
  if (phase === 'Running') return <Phase phase={phase} words={step ?? 'Running'} />;
  if (phase === 'Failed') return <Phase phase={phase} words="Change failed" />;
  if (phase === 'Succeeded') return <Phase phase={phase} words="Merged" quiet />;
  if (phase === 'Cancelled') return <Phase phase={phase} words="Change cancelled" quiet />;
  if (!waitingFor) return <Phase phase={phase} />;
  const item = waiting?.items.find((one) => one.org === org && one.name === run && one.step === step);
  const others = `For ${item ? `another ${waitingFor.role}` : toWaitedFor(waitingFor.role)}`;
  const who = phase === 'NeedsGuidance' ? 'Needs guidance' : item && waitsForViewer(item) ? 'For you' : others;
  return (
    <span className={styles['waits']}>
      <Phase phase={phase} words={`${who},`} />
      <span className={styles['since']}>
        <Age since={waitingFor.since} />
      </span>
    </span>
  );
}
