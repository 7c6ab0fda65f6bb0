/**
 * Returns true when a provider names a claim without its value (OpenID Connect Core, section 5.6.2). Microsoft Entra does so
 * for people in more than 200 groups.
 */
export function isClaimElsewhere(claims: Record<string, unknown>, name: string): boolean {
  const names = claims['_claim_names'];
  return claims[name] === undefined && typeof names === 'object' && names !== null && Object.hasOwn(names, name);
}
