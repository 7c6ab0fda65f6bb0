import { isReleaseFinished } from '../access/release-actions.ts';
import { promotionViolation } from '../environments/promotion-violation.ts';
import type { Product, ZoneStatus } from '../products/kinds.ts';
import type { Release, ReleaseZone } from '../releases/kinds.ts';
import { type Explanation, type Fact, toFacts, toFailedExplanation } from './explanation.ts';

type Subject = { product: Pick<Product, 'spec' | 'status'>; release: Release; zone: string };

/** Explains what holds the promotion of a Release to a zone, or how it ended. */
export function explainPromotion({ product, release, zone }: Subject): Explanation {
  const zoneStatus = product.status?.zones?.find(({ name }) => name === zone);
  const entry = release.status?.zones.find(({ name }) => name === zone);
  const phase = entry?.phase ?? 'Pending';
  const facts = toFacts({
    version: release.spec.version,
    zone,
    phase,
    running: zoneStatus?.version,
    startedAt: entry?.startedAt,
    healthyAt: entry?.healthyAt,
    verifiedAt: entry?.verifiedAt,
  });
  // A zone that a finished Release has not reached stays pending, unless a person promotes it.
  const isLeftOut = phase === 'Pending' && entry?.promotion === undefined && isReleaseFinished(release);
  const failure = entry?.failure ?? (isLeftOut ? release.status?.failure : undefined);
  if (failure) return toFailedExplanation(failure, facts);
  if (entry?.waitingFor) return explainWait(entry, zoneStatus, facts);
  if (phase === 'Verified')
    return { state: 'done', rule: 'verified', message: `${release.spec.version} was verified in ${zone}.`, facts };
  if (phase === 'Superseded' || phase === 'Cancelled' || phase === 'Rejected')
    return {
      state: 'nothing',
      rule: phase.toLowerCase(),
      message:
        phase === 'Superseded'
          ? `A newer Release superseded ${release.spec.version} before it was promoted to ${zone}.`
          : `The promotion of ${release.spec.version} to ${zone} is ${phase}.`,
      facts,
      fix: `Promote ${release.spec.version} to ${zone} manually on the Product page.`,
    };
  const zones = product.spec.delivery.zones.map(({ name }) => name);
  const violation = promotionViolation(release, zone, zones);
  if (isLeftOut) return explainLeftOut({ release, zone, violation }, facts);
  if (phase === 'Pending' && violation !== undefined)
    return {
      state: 'waiting',
      rule: 'release-not-eligible',
      message: violation,
      facts,
      fix: 'Wait until the Release is verified in the earlier zones.',
    };
  return {
    state: 'running',
    rule: 'in-progress',
    message: `The promotion of ${release.spec.version} to ${zone} is ${phase}.`,
    facts,
  };
}

/** Explains why a Release that has finished will not be promoted to a zone by itself. */
function explainLeftOut(
  { release, zone, violation }: Omit<Subject, 'product'> & { violation: string | undefined },
  facts: Fact[],
): Explanation {
  const { version } = release.spec;
  const phase = release.status?.phase;
  const message = `${version} is ${phase}, so it is not promoted to ${zone}.`;
  const fix =
    violation === undefined
      ? `Promote ${version} to ${zone} manually on the Product page.`
      : phase === 'Succeeded'
        ? `Promote ${version} to the earlier zones manually first.`
        : 'Start a Release of its commit again, or of a newer commit.';
  return {
    state: 'nothing',
    rule: 'release-finished',
    message: [message, violation].filter(Boolean).join(' '),
    facts,
    fix,
  };
}

function explainWait({ phase, waitingFor }: ReleaseZone, zone: ZoneStatus | undefined, facts: Fact[]): Explanation {
  const rule = findWaitRule({ phase, waitingFor }, zone);
  return {
    state: 'waiting',
    rule,
    message: waitingFor?.message ?? `The promotion waits for a person with the role ${waitingFor?.role}.`,
    facts: [...facts, ...toFacts({ role: waitingFor?.role, since: waitingFor?.since, until: waitingFor?.until })],
    fix: waitFixes[rule],
  };
}

function findWaitRule(
  { phase, waitingFor }: Pick<ReleaseZone, 'phase' | 'waitingFor'>,
  zone: ZoneStatus | undefined,
): keyof typeof waitFixes {
  if (waitingFor?.role === 'cluster' || waitingFor?.role === 'codehost') return waitingFor.role;
  if (phase === 'WaitingForApproval') return 'approval';
  if (zone?.hold) return 'hold';
  return zone?.freeze ? 'freeze' : 'gitops-rules';
}

const waitFixes = {
  cluster: 'Bring the cluster of the zone back, or give the service access to it.',
  codehost: 'Wait until the code host responds and the required checks of the gitops repo have finished.',
  approval: 'Approve or reject the promotion on the Release page.',
  hold: 'Promote the newest version manually on the Product page.',
  freeze: 'Unfreeze the zone on its page, or promote the Release manually with `overrideFreeze`.',
  'gitops-rules': 'Meet the rules of the gitops repo that the message names.',
};
