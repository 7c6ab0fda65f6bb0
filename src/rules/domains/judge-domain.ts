import { termMs } from './claims.ts';
import type { DomainChecks, DomainStatus } from './kinds.ts';

/** What a decision needs of a domain; no text of anybody's is among it. */
export type DomainFacts = {
  state: DomainStatus['state'];
  kind: 'managed' | 'external';
  ownership: DomainChecks['ownership']['verdict'] | undefined;
  /** Whether a server of the zone itself said so. */
  authoritative: boolean;
  claimedAt: string;
  absentSince: string | undefined;
};

export type DomainVerdict = {
  state: DomainStatus['state'];
  message?: string;
  absentSince?: string;
  /** When time alone may change the verdict. */
  termAt?: string;
};

/**
 *   WaitingForDns ──proven──► Verified ──gone for 7 days──► Failed
 *        └────────not proven for 7 days────────────────────►  │
 *                                ▲──────────proven────────────┘
 *
 * An answer of nobody who can tell moves nothing.
 */
export function judgeDomain(facts: DomainFacts, at: Date): DomainVerdict {
  if (facts.ownership === 'proven') return { state: 'Verified' };
  const isAbsent = facts.authoritative && (facts.ownership === 'missing' || facts.ownership === 'wrong-value');
  if (facts.state === 'Verified') return isAbsent ? judgeLost(facts, at) : kept(facts);
  if (facts.state === 'Failed') return { state: 'Failed', message: messages.failed[facts.kind] };
  const termAt = after(facts.claimedAt);
  if (isAbsent && at >= termAt) return { state: 'Failed', message: messages.failed[facts.kind] };
  return {
    state: 'WaitingForDns',
    message: messages.waiting[facts.kind],
    ...(at < termAt && { termAt: termAt.toISOString() }),
  };
}

/** A verified domain keeps serving for a while: one lost record must not take addresses down. */
function judgeLost(facts: DomainFacts, at: Date): DomainVerdict {
  const absentSince = facts.absentSince ?? at.toISOString();
  const termAt = after(absentSince);
  if (at >= termAt) return { state: 'Failed', message: messages.lost };
  return { state: 'Verified', absentSince, message: messages.gone(termAt), termAt: termAt.toISOString() };
}

/** The clock of what was gone before goes on: nobody has seen it come back. */
function kept({ absentSince }: DomainFacts): DomainVerdict {
  if (absentSince === undefined) return { state: 'Verified' };
  return { state: 'Verified', absentSince, message: messages.gone(after(absentSince)) };
}

const after = (start: string): Date => new Date(Date.parse(start) + termMs);
const day = (at: Date): string => at.toISOString().slice(0, 10);

const messages = {
  waiting: {
    external: 'Add the records at your DNS provider; they are looked for every minute.',
    managed: 'Its DNS records are being created.',
  },
  gone: (termAt: Date) =>
    `The TXT record is gone. Put it back before the domain's certificates renew, and before ${day(termAt)}: then its addresses stop.`,
  lost: 'The TXT record has been gone for 7 days. Put it back and check again; until then its addresses do not answer.',
  failed: {
    external:
      'The TXT record was not found within 7 days, so the name is free to whoever can prove it. Add the record and check again.',
    managed: 'Its DNS records were not created. Ask a platform admin to look at the DNS provider of the domain root.',
  },
};
