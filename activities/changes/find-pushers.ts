import { Context } from '@temporalio/activity';
import { ServiceError } from '../../src/errors.ts';
import type { RunContext } from './run-context.ts';

/** The branch of a run's code. */
type Branch = Pick<RunContext, 'host' | 'repo' | 'gitRef'> & { baseBranch: string };

const branchPrefix = 'refs/heads/';
/** A code host lists a push within seconds. */
const listingAttemptsMax = 5;

/**
 * Finds the accounts that have pushed to the branch since it was at a commit of its base. Returns undefined when the
 * code host does not say who one of them was.
 */
export async function findPushers(branch: Branch, headSha: string): Promise<string[] | undefined> {
  const { host, repo, gitRef } = branch;
  // The code host lists the pushes to a fork in a repo that the org's application cannot read.
  if (!gitRef.startsWith(branchPrefix)) return [];
  const pushes = await host.listPushes(repo, gitRef.slice(branchPrefix.length));
  const newest = pushes.findIndex(({ after }) => after === headSha);
  if (newest === -1 && Context.current().info.attempt < listingAttemptsMax)
    throw new ServiceError(
      'codehost-unreachable',
      `The code host does not list the push of ${headSha} to ${repo} yet.`,
    );
  if (newest === -1) return undefined;
  const people = new Set<string>();
  for (const push of pushes.slice(newest)) {
    if (push.people === undefined) return undefined;
    for (const login of push.people) people.add(login);
    if (push.before === undefined || (await isInBase(branch, push.before))) return [...people];
  }
  return undefined;
}

async function isInBase({ host, repo, baseBranch }: Branch, sha: string): Promise<boolean> {
  const relation = (await host.compareCommits(repo, baseBranch, sha))?.relation;
  return relation === 'behind' || relation === 'identical';
}
