import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/queries/me.ts';
import type { Issue } from '../../api/queries/issues.ts';
import { Phase } from '../../parts/state.tsx';
import { Age } from '../../parts/time.tsx';
import styles from './board.module.css';

const roles = ['viewer', 'member', 'org-admin'];

/** The state of the Change of a card, in the words of the board. */
export function CardState({ org, change }: { org: string; change: NonNullable<Issue['change']> }) {
  const { data: me } = useSuspenseQuery(meQuery);
  const own = me.orgs.find((each) => each.org === org)?.role ?? '';
  const { phase, step, waitingFor } = change;
  if (phase === 'Running') return <Phase phase={phase} words={step ?? 'Running'} />;
  if (phase === 'Failed') return <Phase phase={phase} words="Change failed" />;
  if (phase === 'Succeeded') return <Phase phase={phase} words="Merged" quiet />;
  if (phase === 'Cancelled') return <Phase phase={phase} words="Change cancelled" quiet />;
  if (!waitingFor) return <Phase phase={phase} />;
  const isForReader = roles.includes(waitingFor.role) && roles.indexOf(own) >= roles.indexOf(waitingFor.role);
  const who = phase === 'NeedsGuidance' ? 'Needs guidance' : isForReader ? 'For you' : `For a ${waitingFor.role}`;
  return (
    <span className={styles['waits']}>
      <Phase phase={phase} words={`${who},`} />
      <span className={styles['since']}>
        <Age since={waitingFor.since} />
      </span>
    </span>
  );
}
