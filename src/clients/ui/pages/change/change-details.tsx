import { Link } from '@tanstack/react-router';
import type { Change } from '../../api/types.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Details } from '../../parts/page.tsx';
import { formatDuration, Time } from '../../parts/time.tsx';
import { formatCost, formatTokens, sumUsage } from './format-usage.ts';
import styles from './change-details.module.css';

const conflictRoundsMax = 3;

type Props = {
  change: Change;
  /** The head commit that the decision shows, which may be older than that of the Change. */
  shownHead: string | undefined;
};

/** The facts of a Change, and the same by the API. */
export function ChangeDetails({ change, shownHead }: Props) {
  const { org, spec, status, release, name } = change;
  const pull = status?.pullRequest;
  const usage = sumUsage(status?.steps ?? []);
  const limit = spec.limits?.costUsdPerRun;
  const rounds = status?.conflictRounds ?? 0;
  return (
    <>
      <section>
        <h2>This Change</h2>
        <Details
          items={[
            spec.target && [
              'Issue',
              status?.issue ? (
                <OutsideLink key="issue" href={status.issue.url}>
                  {spec.target.repo}#{spec.target.number}
                </OutsideLink>
              ) : (
                `${spec.target.repo}#${spec.target.number}`
              ),
            ],
            pull && [
              'Pull request',
              <OutsideLink key="pull" href={pull.url}>
                #{pull.number}
              </OutsideLink>,
            ],
            status?.branch !== undefined && ['Branch', <code key="branch">{status.branch}</code>],
            [
              'Diff',
              <Link key="diff" to="/$org/changes/$run/diff" params={{ org, run: name }}>
                What changes
              </Link>,
            ],
            [
              'Product',
              <Link key="product" to="/$org/products/$product" params={{ org, product: spec.product }}>
                {spec.product}
              </Link>,
            ],
            ['Workflow', spec.agentWorkflow],
            ['Started by', spec.startedBy],
            status?.startedAt !== undefined && ['Started', <Time key="started" at={status.startedAt} />],
            status?.mergedAt !== undefined && ['Merged', <Time key="merged" at={status.mergedAt} />],
            status?.finishedAt !== undefined && ['Finished', <Time key="finished" at={status.finishedAt} />],
            ['Conflicts', rounds >= conflictRoundsMax ? <b key="rounds">{toRounds(rounds)}</b> : toRounds(rounds)],
            usage && ['Cost', `${formatCost(usage)}${limit === undefined ? '' : ` of $${limit.toFixed(2)}`}`],
            usage?.seconds !== undefined && ['Agent time', formatDuration(usage.seconds * 1_000)],
            usage && [
              'Tokens',
              <span key="tokens">
                {formatTokens(usage)} <span className="faint">{toCached(usage)}</span>
              </span>,
            ],
            release !== undefined && [
              'Release',
              <Link key="release" to="/$org/releases/$release" params={{ org, release }}>
                {release}
              </Link>,
            ],
            ['Run', <code key="run">{name}</code>],
          ]}
        />
      </section>
      <OtherClients change={change} shownHead={shownHead} />
    </>
  );
}

const toRounds = (rounds: number): string => `${rounds} of ${conflictRoundsMax} rounds`;

function toCached({ inputTokens, cachedInputTokens = 0 }: { inputTokens: number; cachedInputTokens?: number }): string {
  return inputTokens === 0 ? '' : `(${Math.round((100 * cachedInputTokens) / inputTokens)} % cached)`;
}

/** The request that the primary button of the page sends, or the one that reads the Change. */
function OtherClients({ change: { org, name, status }, shownHead }: Props) {
  const run = `${location.origin}/api/v1/orgs/${org}/agentworkflowruns/${name}`;
  const waiting = status?.steps.find(({ phase }) => phase === 'Waiting');
  const body = shownHead === undefined ? '{}' : JSON.stringify({ headSha: shownHead });
  const call = waiting
    ? `-X POST ${run}/steps/${waiting.name}/approve -H 'Content-Type: application/json' -d '${body}'`
    : run;
  const curl = `curl -sS -H "Authorization: Bearer $token" ${call}`;
  return (
    <section>
      <h2>Other clients</h2>
      <div className={styles['copy']}>
        <code data-curl>{curl}</code>
        <CopyButton text={curl} label="Copy the command" iconOnly />
      </div>
    </section>
  );
}
