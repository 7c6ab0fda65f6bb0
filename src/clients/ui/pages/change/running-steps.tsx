import { Link } from '@tanstack/react-router';
import type { Change, Step } from '../../api/types.ts';
import { formatAmount } from '../../parts/format-amount.ts';
import { Section } from '../../parts/page.tsx';
import { Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Elapsed } from '../../parts/time.tsx';
import { formatTokens } from './format-usage.ts';
import styles from './steps.module.css';

/** The steps that are running, with how much of their limits they have used. */
export function RunningSteps({ change }: { change: Change }) {
  const running = (change.status?.steps ?? []).filter(({ phase }) => phase === 'Running');
  if (running.length === 0) return null;
  const isWaiting = change.progress.some(({ colour }) => colour === 'amber');
  return (
    <div className={styles['now']}>
      <Section id="now" title="Now" note={isWaiting ? undefined : 'Nothing waits for you.'}>
        <table className={`${table['tbl']} ${table['mid']}`}>
          <thead>
            <tr>
              <th>Step</th>
              <th>Doing</th>
              <th className={table['n']}>Turn</th>
              <th className={table['n']}>For</th>
              <th className={table['n']}>Of its limits</th>
            </tr>
          </thead>
          <tbody>
            {running.map((step) => (
              <tr key={step.name}>
                <th scope="row">
                  <Phase phase="Running" words={step.name} />
                </th>
                <td>{toDoing(step)}</td>
                <td className={table['n']} data-l="Turn">
                  {step.turns === undefined ? null : (
                    <Link
                      to="/$org/changes/$run"
                      params={{ org: change.org, run: change.name }}
                      search={{ step: step.name, tab: 'transcript' }}
                      hash={step.name}
                    >
                      {step.turns}
                    </Link>
                  )}
                </td>
                <td className={table['n']} data-l="For">
                  {step.startedAt !== undefined && <Elapsed from={step.startedAt} />}
                </td>
                <td className={table['n']} data-l="Of its limits">
                  {toUsed(change, step)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
    </div>
  );
}

function toDoing({ retrying, waitingFor }: Step): string {
  if (retrying) return `Tries again after ${formatAmount(retrying.attempt, 'attempt')}: ${retrying.message}`;
  return waitingFor?.message === undefined ? 'Working' : `Waits: ${waitingFor.message}`;
}

/** Limits that neither the role nor the workflow set are those of the installation, which are not shown. */
function toUsed({ spec }: Change, { name, usage }: Step): string {
  if (!usage) return '';
  const planned = spec.steps.find((one) => one.name === name);
  const limits = planned?.type === 'agent' ? spec.roles[planned.role]?.limits : undefined;
  const tokens = `${formatTokens(usage)}${limits?.tokens === undefined ? '' : ` of ${limits.tokens.toLocaleString('en')}`} tokens`;
  if (usage.costMicroUsd === undefined) return tokens;
  const cost = `$${(usage.costMicroUsd / 1_000_000).toFixed(2)}`;
  return `${tokens}, ${cost}${limits?.costUsd === undefined ? '' : ` of $${limits.costUsd.toFixed(2)}`}`;
}
