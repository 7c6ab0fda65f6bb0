import {
  type CheckResult,
  findMergeBlockers,
  type MergeBlockers,
  type ReviewDecision,
} from '../../rules/changes/merge-blockers.ts';
import type { PullRequest } from './codehost.ts';
import { type Client, parseRepo } from './octokit-client.ts';
import { orUndefined } from './octokit-errors.ts';

/** Reads which requirements of the base branch block a pull request; undefined when the code host keeps them to itself. */
export async function readMergeBlockers(
  client: Client,
  repo: string,
  pull: PullRequest,
): Promise<MergeBlockers | undefined> {
  const [requiredChecks, review] = await Promise.all([
    listRequiredChecks(client, repo, pull.baseBranch),
    readReviewDecision(client, pull),
  ]);
  const results = requiredChecks.length === 0 ? [] : await listCheckResults(client, repo, pull.headSha);
  return findMergeBlockers({ requiredChecks, results, review });
}

/** A branch protection rule and rulesets both require checks, and no endpoint returns both. */
async function listRequiredChecks(client: Client, repo: string, branch: string): Promise<string[]> {
  const path = { ...parseRepo(repo), branch };
  const [found, rules] = await Promise.all([
    orUndefined(client.request('GET /repos/{owner}/{repo}/branches/{branch}', path)),
    // Older versions of the code host have no rulesets.
    orUndefined(client.request('GET /repos/{owner}/{repo}/rules/branches/{branch}', { ...path, per_page: 100 })),
  ]);
  const fromRules = (rules?.data ?? []).flatMap((rule) =>
    rule.type === 'required_status_checks' ? (rule.parameters?.required_status_checks ?? []) : [],
  );
  return [
    ...(found?.data.protection.required_status_checks?.contexts ?? []),
    ...fromRules.map(({ context }) => context),
  ];
}

async function listCheckResults(client: Client, repo: string, sha: string): Promise<CheckResult[]> {
  const commit = { ...parseRepo(repo), ref: sha, per_page: 100 };
  const [runs, combined] = await Promise.all([
    client.paginate('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', commit),
    client.request('GET /repos/{owner}/{repo}/commits/{ref}/status', commit),
  ]);
  return [
    ...runs.map(({ name, conclusion }) => ({ name, state: toCheckState(conclusion) })),
    ...combined.data.statuses.map(({ context, state }) => ({
      name: context,
      state: toCheckState(state === 'pending' ? null : state),
    })),
  ];
}

/** A check run has no conclusion until it completes. */
function toCheckState(conclusion: string | null): CheckResult['state'] {
  if (conclusion === null) return 'pending';
  return ['success', 'neutral', 'skipped'].includes(conclusion) ? 'passed' : 'failed';
}

const reviewDecisions: Record<string, ReviewDecision> = {
  APPROVED: 'approved',
  REVIEW_REQUIRED: 'required',
  CHANGES_REQUESTED: 'changes-requested',
};

/** Only GraphQL tells whether all required reviews are given: the number that a protection requires is for admins. */
async function readReviewDecision(client: Client, { nodeId }: PullRequest): Promise<ReviewDecision> {
  const { node } = await client.graphql<{ node: { reviewDecision: string | null } | null }>(
    'query ($id: ID!) { node(id: $id) { ... on PullRequest { reviewDecision } } }',
    { id: nodeId },
  );
  return reviewDecisions[node?.reviewDecision ?? ''] ?? 'not-required';
}
