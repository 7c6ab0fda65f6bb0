import { hostsOverlap } from './host-name.ts';

/** An unverified claim blocks others this long, and a verified domain survives this long without its TXT record. */
export const gracePeriodMs = 7 * 24 * 60 * 60_000;

export type DomainClaim = { host: string; org: string; claimedAt: string; verified: boolean };
/** All claims under one registrable domain; only these can conflict with each other. */
export type Claims = readonly DomainClaim[];
type Claimant = { host: string; org: string };

export type ClaimOutcome = { conflict: DomainClaim } | { claims: Claims };

/** Adds a claim unless it conflicts with a claim of another org; an unverified claim only blocks others for a while. */
export function addClaim(claims: Claims, { host, org, at }: Claimant & { at: Date }): ClaimOutcome {
  const conflict = claims.find((held) => conflictsWith(held, { host, org }) && isInForce(held, at));
  if (conflict) return { conflict };
  if (claims.some((held) => isHeldBy(held, { host, org }))) return { claims };
  return { claims: [...claims, { host, org, claimedAt: at.toISOString(), verified: false }] };
}

export type VerificationOutcome = { conflict: DomainClaim } | { claims: Claims; displaced: Claims };

/** Verifies a claim. The unverified claims of other orgs to the name, its parents and its subdomains are to be released. */
export function verifyClaim(claims: Claims, { host, org, at }: Claimant & { at: Date }): VerificationOutcome {
  const displaced = claims.filter((held) => conflictsWith(held, { host, org }));
  const conflict = findVerifiedRival(claims, { host, org });
  if (conflict) return { conflict };
  const own = claims.find((held) => isHeldBy(held, { host, org }));
  const others = claims.filter((held) => held !== own);
  const verified = { host, org, claimedAt: own?.claimedAt ?? at.toISOString(), verified: true };
  return { claims: [...others, verified], displaced };
}

/** Returns the verified claim of another org that overlaps with a name. */
export const findVerifiedRival = (claims: Claims, claimant: Claimant): DomainClaim | undefined =>
  claims.find((held) => held.verified && conflictsWith(held, claimant));

/** Makes a claim unverified again. Its grace period is over, so another org may claim the name. */
export const expireClaim = (claims: Claims, claimant: Claimant): Claims =>
  claims.map((held) => (isHeldBy(held, claimant) ? { ...held, verified: false } : held));

export const releaseClaim = (claims: Claims, claimant: Claimant): Claims =>
  claims.filter((held) => !isHeldBy(held, claimant));

const isHeldBy = (held: DomainClaim, { host, org }: Claimant): boolean => held.host === host && held.org === org;
const conflictsWith = (held: DomainClaim, { host, org }: Claimant): boolean =>
  held.org !== org && hostsOverlap(held.host, host);
const isInForce = ({ verified, claimedAt }: DomainClaim, at: Date): boolean =>
  verified || at.getTime() - Date.parse(claimedAt) < gracePeriodMs;
