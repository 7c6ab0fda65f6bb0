import { z } from '@hono/zod-openapi';
import { Timestamp } from '../../src/rules/names.ts';
import type { CommitSummary, Comparison, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import type { AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';

const CommitView = z.object({
  sha: z.string().describe('Hash of the commit.'),
  title: z.string().describe('First line of the commit message, truncated if it is long.'),
  url: z.string().describe('URL of the commit at the code host.'),
});
const IssueRefView = z.object({
  repo: z.string().describe('Repo of the issue.'),
  number: z.int().describe('Number of the issue.'),
  title: z.string().optional().describe('Title of the issue.'),
  url: z.string().optional().describe('URL of the issue at the code host.'),
});
const ChangeRefView = z.object({
  run: z.string().describe('Name of the run.'),
  agentWorkflow: z.string().describe('AgentWorkflow of the run.'),
  mergeCommit: z.string().describe('Commit that the merge of the run created.'),
  pullRequest: z
    .object({
      number: z.int().describe('Number of the pull request.'),
      url: z.string().describe('URL of the pull request at the code host.'),
    })
    .optional()
    .describe('Pull request of the run.'),
  title: z.string().optional().describe('Title of the issue of the run.'),
  issue: z.int().optional().describe('Number of the issue of the run.'),
  approvedBy: z.string().optional().describe('Person who approved the run.'),
  mergedAt: Timestamp.optional().describe('Time of the merge.'),
});
const FileTotalsView = z.object({
  count: z.int().describe('Number of files that change.'),
  additions: z.int().describe('Number of added lines.'),
  deletions: z.int().describe('Number of deleted lines.'),
  truncated: z.boolean().describe('Whether the code host counted only the first files of a large diff.'),
});
export const ContentsView = z
  .object({
    commitCount: z.int().optional().describe('Number of commits; absent if there is nothing to compare with.'),
    commits: z.array(CommitView).describe('Newest commits, newest first: at most 200.'),
    changes: z.array(ChangeRefView).describe('Runs that these commits merged, newest first.'),
    issues: z.array(IssueRefView).describe('Issues that these runs worked on.'),
    files: FileTotalsView.optional().describe(
      'Files that these commits change; absent if there is nothing to compare with.',
    ),
  })
  .openapi('ComparisonContents');
type ContentsView = z.infer<typeof ContentsView>;

export const directions = ['first', 'same', 'forward', 'backward', 'diverged', 'unrelated'] as const;
export type Direction = (typeof directions)[number];
type Side = { repo: string; commit: string };
type Delta = { direction: Direction; added: ContentsView; removed: ContentsView };

const none: ContentsView = { commitCount: 0, commits: [], changes: [], issues: [] };
const titleCharactersMax = 200;

/** Finds which commits and Changes are gained and lost on the way from one commit to another. */
export async function readDelta(
  host: OrgCodehost,
  { from, to, runs }: { from: Side | undefined; to: Side; runs: readonly AgentWorkflowRun[] },
): Promise<Delta> {
  const toContents = describeContents(runs);
  if (!from) {
    const commits = await host.listNewestCommits(to.repo, to.commit);
    return { direction: 'first', added: toContents(commits), removed: none };
  }
  if (from.commit === to.commit) return { direction: 'same', added: none, removed: none };
  const ahead = from.repo === to.repo ? await host.compareCommits(to.repo, from.commit, to.commit) : undefined;
  if (!ahead) return { direction: 'unrelated', added: none, removed: none };
  const { relation, aheadBy, behindBy, commits } = ahead;
  const behind = behindBy > 0 ? await host.compareCommits(to.repo, to.commit, from.commit) : undefined;
  return {
    direction: directionByRelation[relation],
    added: { ...toContents(commits), commitCount: aheadBy, ...toFiles(ahead) },
    removed: { ...toContents(behind?.commits ?? []), commitCount: behindBy, ...toFiles(behind) },
  };
}

const directionByRelation = { identical: 'same', ahead: 'forward', behind: 'backward', diverged: 'diverged' } as const;

function toFiles(comparison: Comparison | undefined): Pick<ContentsView, 'files'> {
  if (!comparison || comparison.aheadBy === 0) return {};
  const { isTruncated, ...totals } = comparison.files;
  return { files: { ...totals, truncated: isTruncated } };
}

const describeContents = (runs: readonly AgentWorkflowRun[]) => {
  const byMerge = new Map(runs.map((run) => [run.status?.mergeCommit, run]));
  return (commits: CommitSummary[]): ContentsView => {
    const merged = commits.flatMap(({ sha }) => byMerge.get(sha) ?? []);
    const issues = merged.flatMap((run) => toIssueRef(run) ?? []);
    return {
      commits: commits.map(({ sha, message, url }) => ({ sha, title: toTitle(message), url })),
      changes: merged.map(toChangeRef),
      issues: [...new Map(issues.map((issue) => [`${issue.repo}#${issue.number}`, issue])).values()],
    };
  };
};

const toTitle = (message: string): string => message.split('\n')[0]?.slice(0, titleCharactersMax) ?? '';

function toChangeRef({ metadata, spec, status }: AgentWorkflowRun): z.infer<typeof ChangeRefView> {
  const { mergeCommit = '', pullRequest, issue, steps = [] } = status ?? {};
  const approval = steps.findLast(({ decision }) => decision?.outcome === 'approved')?.decision;
  const merge = spec.steps.find(({ type }) => type === 'merge');
  const mergedAt = steps.find(({ name }) => name === merge?.name)?.finishedAt;
  return {
    run: metadata.name,
    agentWorkflow: spec.agentWorkflow,
    mergeCommit,
    ...(pullRequest && { pullRequest: { number: pullRequest.number, url: pullRequest.url } }),
    ...(issue && { title: issue.title }),
    ...(spec.target && spec.target.kind !== 'pull-request' && { issue: spec.target.number }),
    ...(approval && { approvedBy: approval.by }),
    ...(mergedAt !== undefined && { mergedAt }),
  };
}

function toIssueRef({ spec, status }: AgentWorkflowRun): z.infer<typeof IssueRefView> | undefined {
  const { target } = spec;
  if (!target || target.kind === 'pull-request') return undefined;
  const { title, url } = status?.issue ?? {};
  return {
    repo: target.repo,
    number: target.number,
    ...(title !== undefined && { title }),
    ...(url !== undefined && { url }),
  };
}
