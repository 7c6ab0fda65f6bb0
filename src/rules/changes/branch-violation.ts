/** The facts of a branch that decide whether an agent may commit to it. */
export type BranchFacts = {
  isDefault: boolean;
  isProtected: boolean;
  /** The open pull requests that would be merged into it. */
  pullRequestsInto: number[];
};

/** Returns why an agent may not commit to a branch: commits reach it only by an approved pull request. */
export function branchViolation(
  branch: string,
  { isDefault, isProtected, pullRequestsInto: [pullRequest] }: BranchFacts,
): string | undefined {
  if (isDefault) return `"${branch}" is the default branch.`;
  if (isProtected) return `"${branch}" is a protected branch.`;
  if (pullRequest !== undefined) return `"${branch}" is the base of pull request #${pullRequest}.`;
  return undefined;
}
