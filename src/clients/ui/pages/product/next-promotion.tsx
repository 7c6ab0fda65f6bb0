import { useQuery } from '@tanstack/react-query';
import { CircleDot, Container, GitPullRequestArrow } from 'lucide-react';
import { comparisonQuery } from '../../api/queries/comparisons.ts';
import type { Release, Zone } from '../../api/types.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Lines, toAmount, type Comparison } from '../../parts/comparison.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { shortDigest } from '../../parts/short-digest.ts';
import { Mark } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { toState, toWords } from '../../parts/phase-state.ts';
import styles from './zones.module.css';
import { toWaitedFor } from '../../parts/waited-for.ts';

/** Chooses the Release that a zone would get next: the one on its way, or the one that the earlier zone runs. */
export function chooseNext(from: Zone, to: Zone): { release: string; version: string } | undefined {
  const { currentPromotion, release } = to.status;
  if (currentPromotion) return currentPromotion;
  if (to.offeredRelease) return { release: to.offeredRelease.name, version: to.offeredRelease.version };
  const earlier = from.status;
  if (earlier.release === undefined || earlier.version === undefined || earlier.release === release) return undefined;
  return earlier.verifiedAt === undefined ? undefined : { release: earlier.release, version: earlier.version };
}

/** Sums up the next promotion to the second zone, with the button that opens it. */
export function NextPromotion({ product, from, to, releases }: Props) {
  const { org, status, waitingFor } = to;
  const next = chooseNext(from, to);
  const { data: comparison } = useQuery({
    ...comparisonQuery(org, next?.release ?? '', to),
    enabled: next !== undefined,
  });
  if (!next)
    return (
      <div className={styles['cross']}>
        <span className={styles['arrow']} />
        <div className={styles['in']}>
          <p className="dim">{describeNone(from.status, to.status, from.name)}</p>
        </div>
      </div>
    );
  const phase = status.currentPromotion?.phase;
  const isWaiting = phase === 'WaitingForApproval';
  const changes = comparison?.added.changes.length ?? 0;
  return (
    <div className={styles['cross']}>
      <span className={styles['arrow']} />
      <div className={styles['in']}>
        <div>
          <h3>{changes > 0 ? `${changes} ${changes === 1 ? 'Change' : 'Changes'} ahead` : next.version}</h3>
          <p className="dim small">
            {status.version === undefined
              ? `${next.version} would be the first version in ${to.name}`
              : `${next.version} would replace ${status.version} in ${to.name}`}
          </p>
        </div>
        {comparison && <Brings comparison={comparison} />}
        <ButtonLink
          look={phase === undefined || isWaiting ? 'primary' : undefined}
          resetScroll={false}
          to="/$org/products/$product"
          params={{ org, product }}
          search={{ promote: to.name, release: next.release }}
        >
          {isWaiting
            ? `Review ${next.version}…`
            : phase === undefined
              ? `Promote ${next.version}…`
              : `See ${next.version}…`}
        </ButtonLink>
        {phase !== undefined && (
          <p className="small">
            <span className={`row ${styles['words']}`} data-state={toState(phase)}>
              <Mark state={toState(phase)} />
              {toWords(phase)}
            </span>
            {waitingFor && (
              <span className="dim">
                since <Time at={waitingFor.since} />, for {toWaitedFor(waitingFor.role)}
              </span>
            )}
          </p>
        )}
        {releases.length === 0 && <p className="dim small">No Release of this Product was built yet.</p>}
      </div>
    </div>
  );
}
type Props = { product: string; from: Zone; to: Zone; releases: Release[] };

/** Says why there is no next promotion. */
function describeNone(from: Zone['status'], to: Zone['status'], name: string): string {
  if (to.version === undefined) return 'Nothing can be promoted yet.';
  if (from.version === to.version) return 'Both zones run the same version.';
  return from.version === undefined ? `Nothing runs in ${name}.` : `${from.version} is not verified in ${name}.`;
}

function Brings({ comparison: { added, from, to } }: { comparison: Comparison }) {
  const issues = added.issues.slice(0, 4);
  return (
    <ul className="small">
      <li className="row">
        <GitPullRequestArrow className="i s" aria-hidden="true" />
        <span>
          {toAmount(added)} {added.files && <Lines {...added.files} />}
        </span>
      </li>
      {issues.length > 0 && (
        <li className="row">
          <CircleDot className="i s" aria-hidden="true" />
          <span>
            Issues{' '}
            {issues.map(({ repo, number, url }, index) => (
              <span key={`${repo}#${number}`}>
                {index > 0 && ', '}
                {url === undefined ? `#${number}` : <OutsideLink href={url}>#{number}</OutsideLink>}
              </span>
            ))}
            {added.issues.length > issues.length && ` and ${added.issues.length - issues.length} more`}
          </span>
        </li>
      )}
      {to.digest !== undefined && (
        <li className="row">
          <Container className="i s" aria-hidden="true" />
          <span className="mono">
            {from?.digest === undefined ? 'image ' : `${shortDigest(from.digest)} → `}
            {shortDigest(to.digest)}
          </span>
        </li>
      )}
    </ul>
  );
}
