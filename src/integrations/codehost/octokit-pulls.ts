import { setTimeout as sleep } from 'node:timers/promises';
import type { MergeOutcome, OrgCodehost, PullRequest } from './codehost.ts';
import { found, statusOf, translating } from './octokit-errors.ts';
import { type Client, split } from './octokit-client.ts';

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
  head: { ref: string; sha: string; repo?: { full_name: string } | null };
  base: { ref: string; sha: string };
};

type PullOperations = Pick<
  OrgCodehost,
  'pullRequest' | 'findPullRequest' | 'openPullRequest' | 'markReady' | 'merge' | 'closePullRequest'
>;

/** As long as a code host usually takes to find out whether something merges. */
const pausesMs = [50, 100, 200, 400, 800];

export function pullOperations(client: Client): PullOperations {
  const read = async (repo: string, number: number): Promise<PullRequest> => {
    const call = client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      ...split(repo),
      pull_number: number,
    });
    return toPull((await translating(`pull request ${repo}#${number}`, call)).data as RawPull);
  };
  const find = async (repo: string, headBranch: string): Promise<PullRequest | undefined> => {
    const { owner } = split(repo);
    const { data } = await client.request('GET /repos/{owner}/{repo}/pulls', {
      ...split(repo),
      head: `${owner}:${headBranch}`,
      state: 'all',
      sort: 'created',
      direction: 'desc',
      per_page: 1,
    });
    return data[0] && (await read(repo, data[0].number));
  };

  /** What can be said without trying. */
  const judge = async (
    repo: string,
    number: number,
    headSha: string,
  ): Promise<{ pull: PullRequest; outcome: MergeOutcome | undefined }> => {
    const pull = await read(repo, number);
    const outcome = settledOutcome(pull, headSha);
    if (outcome?.outcome === 'head-moved' && (await branchTip(client, repo, pull.headBranch)) === headSha)
      return {
        pull,
        outcome: { outcome: 'base-moved', message: `Pull request #${number} does not show its newest commit yet.` },
      };
    if (!outcome && (await addsNothing(client, repo, pull)))
      return {
        pull,
        outcome: { outcome: 'empty', message: `"${pull.baseBranch}" has all of pull request #${number} already.` },
      };
    return { pull, outcome };
  };

  return {
    pullRequest: read,
    findPullRequest: find,
    async openPullRequest(repo, { headBranch, baseBranch, title, body, draft }) {
      const existing = await find(repo, headBranch);
      if (existing?.state === 'open') return existing;
      try {
        const { data } = await client.request('POST /repos/{owner}/{repo}/pulls', {
          ...split(repo),
          head: headBranch,
          base: baseBranch,
          title,
          body,
          draft,
        });
        return toPull(data as RawPull);
      } catch (error) {
        // Somebody (perhaps ourselves, before a crash) opened it in between.
        const now = statusOf(error) === 422 ? await find(repo, headBranch) : undefined;
        if (now) return now;
        return await translating(`a pull request from ${headBranch} in ${repo}`, Promise.reject(error as Error));
      }
    },
    async markReady({ nodeId, draft, state }) {
      // A closed one cannot be: it is marked once it is open again.
      if (!draft || state === 'closed') return;
      await client.graphql(
        'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { id } } }',
        { id: nodeId },
      );
    },
    async merge(repo, { number, headSha, title, message }) {
      let settled = await judge(repo, number, headSha);
      // To ask is what has it computed; a merge that comes sooner is refused.
      for (const pauseMs of pausesMs) {
        if (settled.outcome || settled.pull.mergeable !== 'unknown') break;
        await sleep(pauseMs);
        settled = await judge(repo, number, headSha);
      }
      if (settled.outcome) return settled.outcome;
      try {
        const { data } = await client.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
          ...split(repo),
          pull_number: number,
          merge_method: 'squash',
          sha: headSha,
          commit_title: title,
          commit_message: message,
          request: { retries: 0 },
        });
        return { outcome: 'merged', commit: data.sha };
      } catch (error) {
        const status = statusOf(error);
        if (status !== 405 && status !== 409 && status !== 422) throw error;
        // One status stands for several reasons, so the pull request itself is asked, not the answer.
        const { outcome, pull } = await judge(repo, number, headSha);
        return outcome ?? refusal(pull, (error as Error).message);
      }
    },
    async closePullRequest(repo, number) {
      await client.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
        ...split(repo),
        pull_number: number,
        state: 'closed',
      });
    },
  };
}

function settledOutcome(pull: PullRequest, headSha: string): MergeOutcome | undefined {
  if (pull.merged && pull.mergeCommit) return { outcome: 'merged', commit: pull.mergeCommit };
  if (pull.state === 'closed')
    return { outcome: 'closed', message: `Pull request #${pull.number} was closed without a merge.` };
  if (pull.headSha !== headSha)
    return {
      outcome: 'head-moved',
      message: `Pull request #${pull.number} has commits that were not there when it was approved.`,
      headSha: pull.headSha,
    };
  if (pull.mergeable === 'conflicted')
    return { outcome: 'conflicted', message: `Pull request #${pull.number} conflicts with ${pull.baseBranch}.` };
  return undefined;
}

async function branchTip(client: Client, repo: string, branch: string): Promise<string | undefined> {
  const path = { ...split(repo), ref: `heads/${branch}` };
  return (await found(client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', path)))?.data.object.sha;
}

/** The code host tries each merge out; what it made of this one is the base as it was before. */
async function addsNothing(client: Client, repo: string, pull: PullRequest): Promise<boolean> {
  if (pull.testMerge === undefined) return false;
  const commit = async (sha: string) =>
    (
      await found(
        client.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', { ...split(repo), commit_sha: sha }),
      )
    )?.data;
  const tried = await commit(pull.testMerge);
  const [base, head] = tried?.parents.map(({ sha }) => sha) ?? [];
  if (base === undefined || head !== pull.headSha || (await commit(base))?.tree.sha !== tried?.tree.sha) return false;
  return (await branchTip(client, repo, pull.baseBranch)) === base;
}

function refusal(pull: PullRequest, message: string): MergeOutcome {
  if (/base branch was modified/i.test(message) || pull.mergeable === 'unknown')
    return { outcome: 'base-moved', message };
  return { outcome: 'refused', message: `The code host does not merge pull request #${pull.number}: ${message}` };
}

function toPull(raw: RawPull): PullRequest {
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
    testMerge: !merged && raw.mergeable === true ? (raw.merge_commit_sha ?? undefined) : undefined,
    headBranch: raw.head.ref,
    headRepo: raw.head.repo?.full_name,
    headSha: raw.head.sha,
    baseBranch: raw.base.ref,
    baseSha: raw.base.sha,
    mergeable: raw.mergeable === true ? 'yes' : raw.mergeable === false ? 'conflicted' : 'unknown',
  };
}
