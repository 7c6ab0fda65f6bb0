import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { MergeOutcome, OrgCodehost, PullRequest } from './codehost.ts';
import { orUndefined, findHttpStatus, mapErrors } from './octokit-errors.ts';
import { type Client, parseRepo } from './octokit-client.ts';
import { readMergeBlockers } from './octokit-merge-blockers.ts';

type RawPull = {
  number: number;
  node_id: string;
  html_url: string;
  title: string;
  state: string;
  draft?: boolean;
  merged?: boolean;
  merged_at?: string | null;
  merge_commit_sha: string | null;
  mergeable?: boolean | null;
  mergeable_state?: string;
  head: { ref: string; sha: string; repo?: { full_name: string } | null };
  base: { ref: string; sha: string };
};

type PullOperations = Pick<
  OrgCodehost,
  | 'getPullRequest'
  | 'findPullRequest'
  | 'listOpenPullRequests'
  | 'openPullRequest'
  | 'markReadyForReview'
  | 'mergePullRequest'
  | 'updatePullRequestBranch'
  | 'closePullRequest'
>;

/** A code host usually computes mergeability within this time. */
const mergeabilityDelaysMs = [50, 100, 200, 400, 800];

export function pullOperations(client: Client): PullOperations {
  const read = async (repo: string, number: number): Promise<PullRequest> => {
    const call = client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      ...parseRepo(repo),
      pull_number: number,
    });
    return toPullRequest((await mapErrors(`pull request ${repo}#${number}`, call)).data as RawPull);
  };
  const find = async (repo: string, headBranch: string): Promise<PullRequest | undefined> => {
    const { owner } = parseRepo(repo);
    const call = client.request('GET /repos/{owner}/{repo}/pulls', {
      ...parseRepo(repo),
      head: `${owner}:${headBranch}`,
      state: 'all',
      sort: 'created',
      direction: 'desc',
      per_page: 1,
    });
    const { data } = await mapErrors(`the pull requests of ${repo}`, call);
    return data[0] && (await read(repo, data[0].number));
  };
  const open: PullOperations['openPullRequest'] = async (repo, { headBranch, baseBranch, title, body, draft }) => {
    const existing = await find(repo, headBranch);
    if (existing?.state === 'open') return existing;
    try {
      const { data } = await client.request('POST /repos/{owner}/{repo}/pulls', {
        ...parseRepo(repo),
        head: headBranch,
        base: baseBranch,
        title,
        body,
        draft,
      });
      return toPullRequest(data as RawPull);
    } catch (error) {
      if (draft && isDraftRefusal(error))
        return await open(repo, { headBranch, baseBranch, title, body, draft: false });
      // Another process, or this one before a crash, may have opened it in between. An earlier one may be of other commits.
      const latest = findHttpStatus(error) === 422 ? await find(repo, headBranch) : undefined;
      const isNew = latest?.number !== existing?.number;
      if (latest && (isNew || latest.headSha === (await findBranchHead(client, repo, headBranch)))) return latest;
      return await mapErrors(`a pull request from ${headBranch} in ${repo}`, Promise.reject(error as Error));
    }
  };

  /** Finds an outcome without attempting the merge. */
  const predictOutcome = async (
    repo: string,
    number: number,
    headSha: string,
  ): Promise<{ pull: PullRequest; outcome: MergeOutcome | undefined }> => {
    const pull = await read(repo, number);
    const outcome = findSettledOutcome(pull, headSha);
    if (outcome?.outcome === 'head-moved' && (await findBranchHead(client, repo, pull.headBranch)) === headSha)
      return {
        pull,
        outcome: { outcome: 'base-moved', message: `Pull request #${number} does not show its newest commit yet.` },
      };
    if (!outcome && (await addsNothing(client, repo, pull)))
      return {
        pull,
        outcome: {
          outcome: 'up-to-date',
          message: `"${pull.baseBranch}" already contains all changes of pull request #${number}.`,
        },
      };
    return { pull, outcome };
  };

  return {
    getPullRequest: read,
    findPullRequest: find,
    async listOpenPullRequests(repo, headPrefix) {
      const query = { ...parseRepo(repo), state: 'open', per_page: 100 } as const;
      const call = client.paginate('GET /repos/{owner}/{repo}/pulls', query);
      const pulls = (await mapErrors(`the pull requests of ${repo}`, call)) as RawPull[];
      // The branch of a fork may have any name.
      const isOwn = ({ head }: RawPull): boolean => head.repo?.full_name.toLowerCase() === repo.toLowerCase();
      return pulls
        .filter((pull) => pull.head.ref.startsWith(headPrefix) && isOwn(pull))
        .map(({ number, head }) => ({ number, headBranch: head.ref }));
    },
    openPullRequest: open,
    async markReadyForReview(_repo, { nodeId, draft, state }) {
      // The code host rejects this for a closed pull request; it is marked after it was reopened.
      if (!draft || state === 'closed') return;
      await client.graphql(
        'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { id } } }',
        { id: nodeId },
      );
    },
    async mergePullRequest(repo, { number, headSha, title, message }) {
      let prediction = await predictOutcome(repo, number, headSha);
      // Reading the pull request triggers the computation; the code host rejects a merge before it has finished.
      for (const delayMs of mergeabilityDelaysMs) {
        if (prediction.outcome || prediction.pull.mergeable !== 'unknown') break;
        await sleep(delayMs);
        prediction = await predictOutcome(repo, number, headSha);
      }
      if (prediction.outcome) return prediction.outcome;
      const { pull } = prediction;
      if (pull.rules === 'behind') return toBehindOutcome(pull);
      // Requirements that the service can read are never bypassed, also when the application may bypass them.
      const blockers = pull.rules === 'blocked' ? await readMergeBlockers(client, repo, pull) : undefined;
      if (blockers) return { outcome: 'blocked', ...blockers };
      try {
        const { data } = await client.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
          ...parseRepo(repo),
          pull_number: number,
          merge_method: 'squash',
          sha: headSha,
          commit_title: title,
          commit_message: message,
          request: { retries: 0 },
        });
        return { outcome: 'merged', commit: data.sha };
      } catch (error) {
        const status = findHttpStatus(error);
        if (status !== 405 && status !== 409 && status !== 422) throw error;
        // One status stands for several causes, so the state of the pull request decides.
        const current = await predictOutcome(repo, number, headSha);
        return current.outcome ?? toRefusedOutcome(current.pull, (error as Error).message);
      }
    },
    async updatePullRequestBranch(repo, { number, headSha }) {
      const call = client.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/update-branch', {
        ...parseRepo(repo),
        pull_number: number,
        expected_head_sha: headSha,
      });
      try {
        await call;
      } catch (error) {
        const status = findHttpStatus(error);
        if (status !== 403 && status !== 422) throw error;
        // The head or the base has moved, and the next merge decides again.
        const pull = await read(repo, number);
        if (pull.headSha !== headSha || pull.rules !== 'behind') return;
        throw new ServiceError(
          'pull-request-not-mergeable',
          `${pull.baseBranch} requires an update of pull request #${number}, which the code host refused: ${(error as Error).message}`,
        );
      }
    },
    async closePullRequest(repo, number) {
      await client.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
        ...parseRepo(repo),
        pull_number: number,
        state: 'closed',
      });
    },
  };
}

/** Private repos have no drafts on some plans of the code host. */
const isDraftRefusal = (error: unknown): boolean =>
  findHttpStatus(error) === 422 && /\bdraft pull requests are not supported\b/i.test((error as Error).message);

function findSettledOutcome(pull: PullRequest, headSha: string): MergeOutcome | undefined {
  if (pull.merged && pull.mergeCommit) return { outcome: 'merged', commit: pull.mergeCommit };
  if (pull.state === 'closed')
    return { outcome: 'closed', message: `Pull request #${pull.number} was closed without a merge.` };
  if (pull.headSha !== headSha)
    return {
      outcome: 'head-moved',
      message: `Pull request #${pull.number} has commits that were added after it was approved.`,
      headSha: pull.headSha,
    };
  if (pull.mergeable === 'conflicted')
    return { outcome: 'conflicted', message: `Pull request #${pull.number} conflicts with ${pull.baseBranch}.` };
  return undefined;
}

async function findBranchHead(client: Client, repo: string, branch: string): Promise<string | undefined> {
  const path = { ...parseRepo(repo), ref: `heads/${branch}` };
  return (await orUndefined(client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', path)))?.data.object.sha;
}

/** Compares the tree of the code host's test merge with the tree of the base. */
async function addsNothing(client: Client, repo: string, pull: PullRequest): Promise<boolean> {
  if (pull.testMergeCommit === undefined) return false;
  const readCommit = async (sha: string) =>
    (
      await orUndefined(
        client.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', { ...parseRepo(repo), commit_sha: sha }),
      )
    )?.data;
  const testMerge = await readCommit(pull.testMergeCommit);
  const [base, head] = testMerge?.parents.map(({ sha }) => sha) ?? [];
  if (base === undefined || head !== pull.headSha || (await readCommit(base))?.tree.sha !== testMerge?.tree.sha)
    return false;
  return (await findBranchHead(client, repo, pull.baseBranch)) === base;
}

const toBehindOutcome = ({ number, baseBranch }: PullRequest): MergeOutcome => ({
  outcome: 'behind',
  message: `Pull request #${number} must contain the newest commit of ${baseBranch}.`,
});

function toRefusedOutcome(pull: PullRequest, message: string): MergeOutcome {
  if (/base branch was modified/i.test(message) || pull.mergeable === 'unknown')
    return { outcome: 'base-moved', message };
  if (pull.rules === 'behind') return toBehindOutcome(pull);
  // The code host alone knows the rule, such as a required signature or a merge queue.
  if (pull.rules === 'blocked') return { outcome: 'blocked', message, needsPerson: true };
  return {
    outcome: 'refused',
    message: `The code host rejected the merge of pull request #${pull.number}: ${message}`,
  };
}

function toPullRequest(raw: RawPull): PullRequest {
  const merged = raw.merged ?? typeof raw.merged_at === 'string';
  return {
    number: raw.number,
    nodeId: raw.node_id,
    url: raw.html_url,
    title: raw.title,
    state: raw.state === 'closed' ? 'closed' : 'open',
    draft: raw.draft ?? false,
    merged,
    mergeCommit: merged ? (raw.merge_commit_sha ?? undefined) : undefined,
    testMergeCommit: !merged && raw.mergeable === true ? (raw.merge_commit_sha ?? undefined) : undefined,
    headBranch: raw.head.ref,
    headRepo: raw.head.repo?.full_name,
    headSha: raw.head.sha,
    baseBranch: raw.base.ref,
    baseSha: raw.base.sha,
    mergeable: raw.mergeable === true ? 'yes' : raw.mergeable === false ? 'conflicted' : 'unknown',
    rules: raw.mergeable_state === 'blocked' || raw.mergeable_state === 'behind' ? raw.mergeable_state : 'passed',
  };
}
