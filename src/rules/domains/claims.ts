import { overlaps } from './host-name.ts';

/** How long a claim holds against others without proof, and a proof without its record. */
export const termMs = 7 * 24 * 60 * 60_000;

export type DomainClaim = { host: string; org: string; claimedAt: string; verified: boolean };
/** All claims to names that are registered as one, from which every rule about them can be told. */
export type Claims = readonly DomainClaim[];
type Claimant = { host: string; org: string };

export type ClaimOutcome = { refused: DomainClaim } | { claims: Claims };

/** Whether the name may be claimed beside the claims there are: unproven ones stand in nobody's way for ever. */
export function claim(claims: Claims, { host, org, at }: Claimant & { at: Date }): ClaimOutcome {
  const refused = claims.find((held) => isInTheWay(held, { host, org }) && holds(held, at));
  if (refused) return { refused };
  if (claims.some((held) => isOf(held, { host, org }))) return { claims };
  return { claims: [...claims, { host, org, claimedAt: at.toISOString(), verified: false }] };
}

export type ProofOutcome = { refused: DomainClaim } | { claims: Claims; outdone: Claims };

/** Whoever proves a name first has it: unproven claims of others to it, or to names above and below it, are gone. */
export function prove(claims: Claims, { host, org, at }: Claimant & { at: Date }): ProofOutcome {
  const rivals = claims.filter((held) => isInTheWay(held, { host, org }));
  const refused = rivals.find((held) => held.verified);
  if (refused) return { refused };
  const own = claims.find((held) => isOf(held, { host, org }));
  const others = claims.filter((held) => held !== own && !rivals.includes(held));
  const proven = { host, org, claimedAt: own?.claimedAt ?? at.toISOString(), verified: true };
  return { claims: [...others, proven], outdone: rivals };
}

/** The proof is gone: the name is held like one that was never proven, and its term is over. */
export const lapse = (claims: Claims, claimant: Claimant): Claims =>
  claims.map((held) => (isOf(held, claimant) ? { ...held, verified: false } : held));

export const leave = (claims: Claims, claimant: Claimant): Claims => claims.filter((held) => !isOf(held, claimant));

const isOf = (held: DomainClaim, { host, org }: Claimant): boolean => held.host === host && held.org === org;
const isInTheWay = (held: DomainClaim, { host, org }: Claimant): boolean =>
  held.org !== org && overlaps(held.host, host);
const holds = ({ verified, claimedAt }: DomainClaim, at: Date): boolean =>
  verified || at.getTime() - Date.parse(claimedAt) < termMs;
