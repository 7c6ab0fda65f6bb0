import { createHash } from 'node:crypto';

/** Names the object that reserves a repo for one Product of the org; a hash, because the name of a repo has other characters. */
export function repoReservationName(org: string, repo: string): string {
  const digest = createHash('sha256').update(`${org} ${repo.toLowerCase()}`).digest('hex');
  return `repo-${digest.slice(0, 40)}`;
}
