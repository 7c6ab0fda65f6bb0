import type { Domain } from '../domains/kinds.ts';
import { type Explanation, toFacts } from './explanation.ts';

/** Explains why a domain is not verified, and then why its addresses cannot be reached with a certificate. */
export function explainDomain({ spec, status }: Domain): Explanation[] {
  const { ownership, traffic, certificates } = status?.checks ?? {};
  const { state = 'WaitingForDns', message, claimedAt, verifiedAt, absentSince, lastCheckedAt } = status ?? {};
  const fix =
    spec.kind === 'managed'
      ? 'Ask a platform admin to check the DNS provider of the domain root, then check the domain again.'
      : 'Set the records that the domain lists at its DNS provider, then check it again.';
  const claim: Explanation = {
    state: state === 'Verified' ? 'done' : state === 'Failed' ? 'failed' : 'waiting',
    rule: `ownership-${ownership?.verdict ?? 'unchecked'}`,
    message: message ?? (state === 'Verified' ? 'The domain is verified.' : 'The domain has not been checked yet.'),
    facts: toFacts({
      state,
      kind: spec.kind,
      claimedAt,
      verifiedAt,
      absentSince,
      lastCheckedAt,
      result: ownership?.message,
      found: ownership?.observed.join(', ') || undefined,
      server: ownership?.server,
    }),
    ...((state !== 'Verified' || absentSince !== undefined) && { fix }),
  };
  const toFinding = (
    name: string,
    check: { verdict: string; message: string; observed: string[]; server: string } | undefined,
    good: string,
  ): Explanation[] =>
    check === undefined || check.verdict === good
      ? []
      : [
          {
            state: check.verdict === 'unknown' ? 'waiting' : 'failed',
            rule: `${name}-${check.verdict}`,
            message: check.message,
            facts: toFacts({ found: check.observed.join(', ') || undefined, server: check.server }),
            fix,
          },
        ];
  return [claim, ...toFinding('traffic', traffic, 'connected'), ...toFinding('certificates', certificates, 'allowed')];
}
