/** The prefix of the keys that name the commits which the service made for an org. */
export const orgCommitsPrefix = (org: string): string => `commits/${org}/`;

/** The key that proves that the service made a commit: a person can copy the author and the trailers of one. */
export const commitKey = (org: string, sha: string): string => `${orgCommitsPrefix(org)}${sha}`;
