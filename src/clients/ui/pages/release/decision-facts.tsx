import { useQuery } from '@tanstack/react-query';
import { ArrowRight, Container, GitPullRequestArrow } from 'lucide-react';
import { comparisonQuery } from '../../api/queries/comparisons.ts';
import type { Release, Zone } from '../../api/types.ts';
import { Lines, toAmount } from '../../parts/comparison.tsx';
import decision from '../../parts/decision.module.css';
import { shortDigest } from '../../parts/short-digest.ts';
import { Mark } from '../../parts/state.tsx';
import { Ago } from '../../parts/time.tsx';

/** Lists what a person weighs before a promotion: what changes, what is known, and what follows. */
export function DecisionFacts({ release, name, zone }: { release: Release; name: string; zone: Zone | undefined }) {
  const { org, spec, status } = release;
  const { data: comparison } = useQuery(comparisonQuery(org, release.name, zone));
  const index = status?.zones.findIndex((one) => one.name === name) ?? 0;
  return (
    <div className={decision['parts']}>
      <div>
        <h3>What changes there</h3>
        <ul>
          <li>
            <ArrowRight className="i s" aria-hidden="true" />
            <span>
              {zone?.status.version === undefined ? 'The first version: ' : `${zone.status.version} becomes `}
              <b>{spec.version}</b>
            </span>
          </li>
          {status?.digest !== undefined && (
            <li>
              <Container className="i s" aria-hidden="true" />
              <span>
                {zone?.status.digest !== undefined && (
                  <>
                    <code>{shortDigest(zone.status.digest)}</code> becomes{' '}
                  </>
                )}
                <code>{shortDigest(status.digest)}</code>
              </span>
            </li>
          )}
          {comparison && (
            <li>
              <GitPullRequestArrow className="i s" aria-hidden="true" />
              <span>
                {toAmount(comparison.added)} {comparison.added.files && <Lines {...comparison.added.files} />}
              </span>
            </li>
          )}
        </ul>
      </div>
      <div>
        <h3>What is known</h3>
        <ul>
          {status?.zones.slice(0, index).map(({ name: earlier, verifiedAt }) => (
            <li key={earlier}>
              <Mark state={verifiedAt === undefined ? 'idle' : 'done'} />
              <span>
                {verifiedAt === undefined ? (
                  `Not verified in ${earlier}`
                ) : (
                  <>
                    Verified in {earlier}, <Ago since={verifiedAt} />
                  </>
                )}
              </span>
            </li>
          ))}
          {zone && <Freeze zone={zone} />}
        </ul>
      </div>
      <div>
        <h3>What happens next</h3>
        <ol className={decision['steps-next']}>
          <li>A pull request in the gitops repo is merged</li>
          <li>The controller deploys {spec.version}</li>
          <li>A smoke check, then a screenshot</li>
        </ol>
      </div>
    </div>
  );
}

const Freeze = ({ zone: { name, status } }: { zone: Zone }) => (
  <li>
    <Mark state={status.freeze ? 'held' : 'done'} />
    <span>{status.freeze ? `${name} is frozen: ${status.freeze.reason}` : `${name} is not frozen`}</span>
  </li>
);
