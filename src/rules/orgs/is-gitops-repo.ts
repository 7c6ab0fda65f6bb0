import type { Organization } from './kinds.ts';

/** Returns whether a repo is the gitops repo of one of the orgs. Code hosts ignore the case of names. */
export const isGitopsRepo = (repo: string, orgs: readonly Organization[]): boolean =>
  orgs.some(({ spec }) => spec.gitopsRepo.toLowerCase() === repo.toLowerCase());
