/** A challenge of a `WWW-Authenticate` header (RFC 9110): its scheme in lowercase, and its parameters. */
export type AuthChallenge = { scheme: string; parameters: Record<string, string> };

const charactersMax = 4096;

/** Matches a parameter with a quoted or a bare value, or else a scheme. */
const partPattern = /([a-z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([a-z][a-z0-9-]*)/gi;

/** Returns the Basic and Bearer challenges of a header that may contain several, in their order. */
export function parseAuthChallenges(header: string): AuthChallenge[] {
  const challenges: AuthChallenge[] = [];
  // A header of a hostile server is cut, because the time to search for the end of a quotation grows with its square.
  for (const [, name, quoted, bare, scheme] of header.slice(0, charactersMax).matchAll(partPattern)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: {} });
    const parameters = challenges.at(-1)?.parameters;
    if (parameters && name !== undefined)
      parameters[name.toLowerCase()] = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '';
  }
  return challenges.filter(({ scheme }) => scheme === 'basic' || scheme === 'bearer');
}
