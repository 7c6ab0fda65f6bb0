import { type DomainVerdict, judgeDomain } from '../../src/rules/domains/judge-domain.ts';
import { type Domain, type DomainStatus, sweepShardLabel } from '../../src/rules/domains/kinds.ts';

/** The facts that the workflow needs, with the time at which the state changes without a new check. */
export type DomainSnapshot = {
  state: DomainStatus['state'];
  kind: 'managed' | 'external';
  shard: number;
  gracePeriodEndsAt?: string;
};

export function judgeCurrentState({ spec, status, metadata }: Domain, at: Date): DomainVerdict {
  return judgeDomain(
    {
      kind: toKind(spec),
      state: status?.state ?? 'WaitingForDns',
      ownership: status?.checks?.ownership.verdict,
      authoritative: status?.checks?.ownership.authoritative ?? false,
      claimedAt: status?.claimedAt ?? metadata.creationTimestamp,
      absentSince: status?.absentSince,
    },
    at,
  );
}

/** True when the recorded checks lead to another status than the recorded one: the workflow has not judged them yet. */
export function isUnjudged(domain: Domain, at: Date): boolean {
  const { state, absentSince } = judgeCurrentState(domain, at);
  const { status } = domain;
  return state !== status?.state || (absentSince === undefined) !== (status.absentSince === undefined);
}

export function toDomainStatus(
  { status, metadata }: Domain,
  { state, message, absentSince }: DomainVerdict,
  at: Date,
): DomainStatus {
  const { message: _, absentSince: __, ...rest } = status ?? {};
  return {
    claimedAt: metadata.creationTimestamp,
    ...rest,
    state,
    ...(message !== undefined && { message }),
    ...(absentSince !== undefined && { absentSince }),
    ...(state === 'Verified' && status?.state !== 'Verified' && { verifiedAt: at.toISOString() }),
  };
}

export const toSnapshot = (
  { spec, metadata }: Domain,
  { state, deadlineAt: gracePeriodEndsAt }: DomainVerdict,
): DomainSnapshot => ({
  state,
  kind: toKind(spec),
  shard: Number(metadata.labels?.[sweepShardLabel] ?? 0),
  ...(gracePeriodEndsAt !== undefined && { gracePeriodEndsAt }),
});

const toKind = ({ kind }: Domain['spec']): DomainSnapshot['kind'] => (kind === 'managed' ? 'managed' : 'external');
