import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Release, Zone } from '../../api/types.ts';
import { Lines, toAmount, type Comparison } from '../../parts/comparison.tsx';
import { Details } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { shortDigest } from '../../parts/short-digest.ts';
import { Phase } from '../../parts/state.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { formatAmount } from '../../parts/format-amount.ts';
import { toWaitedFor } from '../../parts/waited-for.ts';

type Contents = Comparison['added'];
const changesMax = 8;
type Item = [term: string, value: ReactNode] | false | undefined;

/** Lists what a promotion changes in the zone, what is known about the Release, and what holds it. */
export function PromotionFacts({
  release,
  zone,
  zones,
  comparison: { data: comparison, error },
  isDecision,
}: {
  release: Release;
  zone: Zone;
  zones: Zone[];
  comparison: UseQueryResult<Comparison>;
  isDecision: boolean;
}) {
  const { status, waitingFor, spec } = zone;
  const { version, commit } = release.spec;
  const isBackward = comparison?.direction === 'backward';
  const items: Item[] = [
    [
      'Version',
      status.version === undefined ? (
        <span key="version">
          <b>{version}</b>, the first in {zone.name}
        </span>
      ) : (
        <span key="version">
          {status.version} becomes <b>{version}</b>
        </span>
      ),
    ],
    ['Commit', <Becomes key="commit" from={status.commit?.slice(0, 7)} to={commit.slice(0, 7)} />],
    release.status?.digest !== undefined && [
      'Image',
      <Becomes
        key="image"
        from={status.digest === undefined ? undefined : shortDigest(status.digest)}
        to={shortDigest(release.status.digest)}
      />,
    ],
    comparison !== undefined &&
      toContents(isBackward ? 'Takes away' : 'Brings', isBackward ? comparison.removed : comparison.added),
    comparison?.direction === 'diverged' && toContents('Takes away', comparison.removed),
    comparison?.direction === 'unrelated' && ['Content', 'The code host knows no common history of the two commits.'],
    ...zones
      .slice(
        0,
        zones.findIndex(({ name }) => name === zone.name),
      )
      .map(({ name }): Item => ['Known', <Known key={name} release={release} zone={name} />]),
    status.freeze && ['Frozen', `${status.freeze.reason}, by ${status.freeze.by.split('@')[0]}`],
    isDecision &&
      waitingFor && [
        'Waits',
        <span key="waits">
          for {toWaitedFor(waitingFor.role)} since <Time at={waitingFor.since} />
        </span>,
      ],
    status.currentPromotion !== undefined &&
      status.currentPromotion.release !== release.name && [
        'Instead',
        `${status.currentPromotion.version} is on its way. This promotion cancels it.`,
      ],
    isBackward && [
      'Then',
      `Versions newer than ${version} are no longer ${spec?.promotionPolicy === 'after-approval' ? 'offered for approval' : 'promoted automatically'}. The hold ends when you promote the newest one.`,
    ],
    !isBackward &&
      status.hold && [
        'Then',
        `The hold after the rollback to ${status.hold.version} ends if this is the newest version.`,
      ],
    !isBackward && status.version !== undefined && ['Way back', `Roll back to ${status.version}, here as well`],
  ];
  return (
    <>
      <Details items={items} />
      {comparison === undefined && error === null && (
        <p className="dim" role="status">
          Comparing the commits…
        </p>
      )}
      {error && <ProblemNotice error={error} />}
    </>
  );

  function toContents(term: string, contents: Contents): Item {
    return [term, <Summary key={term} org={zone.org} contents={contents} />];
  }
}

const Becomes = ({ from, to }: { from: string | undefined; to: string }) => (
  <>
    {from !== undefined && (
      <>
        <code>{from}</code> becomes{' '}
      </>
    )}
    <code>{to}</code>
  </>
);

function Summary({ org, contents }: { org: string; contents: Contents }) {
  const rest = contents.changes.length - changesMax;
  return (
    <>
      {toAmount(contents)} {contents.files && <Lines {...contents.files} />}
      <ul>
        {contents.changes.slice(0, changesMax).map(({ run, title, issue }) => (
          <li key={run}>
            <Link to="/$org/changes/$run" params={{ org, run }}>
              {title ?? run}
            </Link>{' '}
            {issue !== undefined && <span className="faint">#{issue}</span>}
          </li>
        ))}
      </ul>
      {rest > 0 && `and ${formatAmount(rest, 'more Change')}`}
    </>
  );
}

/** Tells how the Release did in an earlier zone. */
function Known({ release, zone }: { release: Release; zone: string }) {
  const entry = release.status?.zones.find(({ name }) => name === zone);
  if (entry?.verifiedAt === undefined)
    return <Phase phase={entry?.phase ?? 'Pending'} words={`Not verified in ${zone}`} quiet />;
  return (
    <>
      <Phase phase="Verified" words={`Verified in ${zone}`} quiet />, <Ago since={entry.verifiedAt} />
    </>
  );
}
