import type { Host } from '../host.ts';
import type { BranchRules } from '../tables.ts';

export type MergeRequirements = {
  requiredChecks: string[];
  /** The branch of a pull request must contain the newest commit of the base. */
  strict: boolean;
  requiredReviews: number;
  /** A new commit dismisses the approvals of older ones. */
  dismissStale: boolean;
};

const noRequirements: MergeRequirements = {
  requiredChecks: [],
  strict: false,
  requiredReviews: 0,
  dismissStale: false,
};

/** GitHub protects a branch by a branch protection rule, by rulesets, or by both at once. */
type RuleSource = BranchRules['source'];
type Branch = { repositoryId: number; name: string };

export function protectBranch(
  host: Host,
  branch: Branch,
  { source, enforceAdmins, ...rules }: MergeRequirements & { source: RuleSource; enforceAdmins: boolean },
): void {
  host.database.transaction(() => {
    unprotectBranch(host, branch, source);
    host.database.insert('branchRules', {
      ...branch,
      source,
      enforceAdmins: enforceAdmins ? 1 : 0,
      requiredChecks: JSON.stringify(rules.requiredChecks),
      strict: rules.strict ? 1 : 0,
      requiredReviews: rules.requiredReviews,
      dismissStale: rules.dismissStale ? 1 : 0,
    });
  });
}

export function unprotectBranch({ database }: Host, { repositoryId, name }: Branch, source: RuleSource): void {
  database.run(
    'DELETE FROM branchRules WHERE repositoryId = ? AND name = ? AND source = ?',
    repositoryId,
    name,
    source,
  );
}

const listRules = ({ database }: Host, { repositoryId, name }: Branch): BranchRules[] =>
  database.all<BranchRules>('SELECT * FROM branchRules WHERE repositoryId = ? AND name = ?', repositoryId, name);

export const isProtected = (host: Host, repositoryId: number, name: string): boolean =>
  listRules(host, { repositoryId, name }).length > 0;

export const listProtectedBranches = ({ database }: Host, repositoryId: number): string[] =>
  database
    .all<{
      name: string;
    }>('SELECT DISTINCT name FROM branchRules WHERE repositoryId = ? ORDER BY name', repositoryId)
    .map(({ name }) => name);

/** Returns the rules of one source, or of all sources together. */
export function readRequirements(host: Host, branch: Branch, source?: RuleSource): MergeRequirements {
  return listRules(host, branch)
    .filter((rules) => source === undefined || rules.source === source)
    .reduce<MergeRequirements>(
      (all, rules) => ({
        requiredChecks: [...all.requiredChecks, ...(JSON.parse(rules.requiredChecks) as string[])],
        strict: all.strict || rules.strict === 1,
        requiredReviews: Math.max(all.requiredReviews, rules.requiredReviews),
        dismissStale: all.dismissStale || rules.dismissStale === 1,
      }),
      noRequirements,
    );
}

/** Administrators may ignore a branch protection rule that does not include them. */
export const appliesToAdmins = (host: Host, branch: Branch): boolean =>
  listRules(host, branch).some(({ enforceAdmins }) => enforceAdmins === 1);
