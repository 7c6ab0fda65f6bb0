/** An address of a person at GitHub. */
export type GithubEmail = { email: string; primary: boolean; verified: boolean };
/** A team of a person at GitHub. */
export type GithubTeam = { organization: string; slug: string };

/** Returns the primary address. The others can change hands while the account stays, so none of them counts. */
export function choosePrimaryEmail(emails: readonly GithubEmail[]): {
  email: string | undefined;
  emailVerified: boolean;
} {
  const primary = emails.find((email) => email.primary);
  return { email: primary?.email, emailVerified: primary?.verified === true };
}

/** GitHub compares the names of organizations without case. */
const isListed = (organizations: readonly string[] | undefined, login: string): boolean =>
  organizations === undefined || organizations.some((name) => name.toLowerCase() === login.toLowerCase());

/** Returns the teams in the organizations that count as groups, as `organization/team` in lowercase. */
export const toTeamGroups = (teams: readonly GithubTeam[], organizations: readonly string[] | undefined): string[] =>
  teams
    .filter(({ organization }) => isListed(organizations, organization))
    .map(({ organization, slug }) => `${organization}/${slug}`.toLowerCase());

/** Says why a member of the given organizations may not sign in, or returns undefined. */
export function membershipViolation(
  memberOf: readonly string[],
  organizations: readonly string[] | undefined,
): string | undefined {
  if (organizations === undefined || memberOf.some((login) => isListed(organizations, login))) return undefined;
  return `The code host does not list you as a member of ${organizations.join(' or ')}. Use another account, or ask an owner of the organization to approve this application.`;
}

/** GitHub Enterprise Server has its API below the web address, the others on a host of its own. */
export function toGithubApiUrl(webUrl: string): string {
  const { protocol, host } = new URL(webUrl);
  const hasApiHost = host === 'github.com' || host.endsWith('.ghe.com');
  return hasApiHost ? `${protocol}//api.${host}` : `${webUrl}/api/v3`;
}
