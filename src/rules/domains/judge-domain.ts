import { defined } from '../../defined.ts';
import { gracePeriodMs } from './domain-claims.ts';
import type { DomainChecks, DomainStatus } from './kinds.ts';

/** The facts that decide the state of a domain. Workflow history keeps them, so they hold no text from DNS records. */
export type DomainFacts = {
  state: DomainStatus['state'];
  kind: 'managed' | 'external';
  ownership: DomainChecks['ownership']['verdict'] | undefined;
  /** True when a server of the DNS zone gave the answer. */
  authoritative: boolean;
  claimedAt: string;
  absentSince: string | undefined;
};

export type DomainVerdict = {
  state: DomainStatus['state'];
  message?: string;
  absentSince?: string;
  /** The time at which the verdict changes without a new check. */
  deadlineAt?: string;
};

/**
 *   WaitingForDns ─verified─► Verified ─absent for 7 days─► Failed
 *        └────────not verified for 7 days──────────────────►  │
 *                                ▲─────────verified───────────┘
 *
 * Only an authoritative answer moves a domain to another state because of a missing record.
 */
export function judgeDomain(facts: DomainFacts, at: Date): DomainVerdict {
  if (facts.ownership === 'verified') return { state: 'Verified' };
  const isAbsent = facts.authoritative && (facts.ownership === 'missing' || facts.ownership === 'wrong-value');
  if (facts.state === 'Verified') return isAbsent ? judgeMissingRecord(facts, at) : stayVerified(facts);
  if (facts.state === 'Failed') return { state: 'Failed', message: messages.failed[facts.kind] };
  const deadline = toGracePeriodEnd(facts.claimedAt);
  if (isAbsent && at >= deadline) return { state: 'Failed', message: messages.failed[facts.kind] };
  return defined({
    state: 'WaitingForDns',
    message: messages.waiting[facts.kind],
    deadlineAt: at < deadline ? deadline.toISOString() : undefined,
  });
}

/** A verified domain keeps its addresses during the grace period, because a lost record may be a mistake. */
function judgeMissingRecord(facts: DomainFacts, at: Date): DomainVerdict {
  const absentSince = facts.absentSince ?? at.toISOString();
  const deadline = toGracePeriodEnd(absentSince);
  if (at >= deadline) return { state: 'Failed', message: messages.lost };
  return { state: 'Verified', absentSince, message: messages.absent(deadline), deadlineAt: deadline.toISOString() };
}

/** The grace period of an absent record continues, because no check has found the record again. */
function stayVerified({ absentSince }: DomainFacts): DomainVerdict {
  if (absentSince === undefined) return { state: 'Verified' };
  return { state: 'Verified', absentSince, message: messages.absent(toGracePeriodEnd(absentSince)) };
}

const toGracePeriodEnd = (start: string): Date => new Date(Date.parse(start) + gracePeriodMs);
const toDay = (at: Date): string => at.toISOString().slice(0, 10);

const messages = {
  waiting: {
    external: 'Add the records at your DNS provider. The service checks them every minute.',
    managed: 'The service is creating the DNS records.',
  },
  absent: (deadline: Date) =>
    `The TXT record is missing. Restore it before ${toDay(deadline)} and before the certificates renew; otherwise the addresses of the domain stop working.`,
  lost: 'The TXT record has been missing for 7 days, so the addresses of the domain do not work. Restore it and check again.',
  failed: {
    external:
      'The TXT record was not found within 7 days, so another org may claim the domain. Add the record and check again.',
    managed: 'The DNS records were not created. Ask a platform admin to check the DNS provider of the domain root.',
  },
};
