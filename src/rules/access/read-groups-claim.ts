/** More would make every look-up of a role slow. */
const groupsMax = 1000;
const groupLengthMax = 256;

/**
 * Reads the groups of a person from a claim. Returns undefined when the claim is not a list of texts, because a guess
 * about what it means could give a role to the wrong people.
 */
export function readGroupsClaim(claim: unknown): string[] | undefined {
  if (claim === undefined || claim === null) return [];
  if (!Array.isArray(claim) || claim.length > groupsMax) return undefined;
  const texts = claim.filter((group): group is string => typeof group === 'string' && group.length <= groupLengthMax);
  return texts.length === claim.length ? [...new Set(texts)].filter((group) => group !== '') : undefined;
}
