import { ServiceError } from '../../src/errors.ts';
import { branchViolation } from '../../src/rules/changes/branch-violation.ts';
import type { RunContext } from '../changes/run-context.ts';

/** Reads the branch again directly before a push, because it may have become the base of others during the turn. */
export async function assertPushable({ host, repo, branch, isOwnBranch, gitRef, pushRef }: RunContext): Promise<void> {
  if (isOwnBranch || pushRef !== gitRef) return;
  const violation = branchViolation(branch, await host.getBranchFacts(repo, branch));
  if (violation === undefined) return;
  const fix = 'The changes of this turn are discarded. Give guidance to continue on a branch of the run.';
  throw new ServiceError('branch-guarded', `No agent may push to it: ${violation} ${fix}`);
}
