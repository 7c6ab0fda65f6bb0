import { z } from 'zod';
import { assertAccess } from '../auth.ts';
import { HttpError } from '../http-error.ts';
import type { Host } from '../host.ts';
import { emitPullEvent } from '../emit-pull-event.ts';
import { judgeReviews } from '../protection/merge-state.ts';
import { findPullById, parsePullNodeId, toPullNodeId } from '../pulls.ts';
import type { PullRequest } from '../pulls.ts';
import { getRepository, repositoryUrl } from '../repositories.ts';
import type { Repository } from '../tables.ts';
import { formatTimestamp } from '../format-timestamp.ts';
import { readBody, getSender } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

const QueryBody = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).nullish() });

const mutation = 'markPullRequestReadyForReview';

/** GraphQL supports what the REST API lacks: marking a draft as ready for review, and the decision of all reviews. */
export function graphqlRoute(rest: RestApi, host: Host): void {
  rest.post('/graphql', async (c) => {
    if (c.get('caller').kind === 'anonymous')
      throw new HttpError(401, 'This endpoint requires you to be authenticated.');
    const { query, variables } = await readBody(c, QueryBody, 'Query');
    const { id } = variables ?? {};
    if (/\breviewDecision\b/.test(query)) {
      const pull = typeof id === 'string' ? findAccessiblePull(host, c, { nodeId: id, level: 'read' }) : undefined;
      return c.json({ data: { node: pull ? { reviewDecision: judgeReviews(host, pull.request) } : null } });
    }
    if (!new RegExp(`\\b${mutation}\\b`).test(query)) {
      return c.json({
        errors: [
          {
            type: 'undefinedField',
            message: `The code host emulator supports only the mutation ${mutation} and the field reviewDecision.`,
          },
        ],
      });
    }
    const nodeId = findNodeId(query, variables ?? {});
    const found = nodeId === undefined ? undefined : findAccessiblePull(host, c, { nodeId, level: 'write' });
    if (found === undefined) return c.json(toNotFoundResult(nodeId ?? ''));
    markReadyForReview(host, c, found);
    const { pull, issue } = findPullById(host, found.request.pull.id) ?? found.request;
    const fields = {
      id: toPullNodeId(pull),
      isDraft: pull.draft === 1,
      number: issue.number,
      title: issue.title,
      state: pull.mergedAt === null ? issue.state.toUpperCase() : 'MERGED',
      url: `${repositoryUrl(host, found.repository)}/pull/${issue.number}`,
      headRefOid: pull.headSha,
    };
    const [, selection = ''] = /\bpullRequest\s*\{([^}]*)\}/.exec(query) ?? [];
    const selected = Object.entries(fields).filter(([name]) => new RegExp(`\\b${name}\\b`).test(selection));
    return c.json({ data: { [mutation]: { pullRequest: Object.fromEntries(selected) } } });
  });
}

/** The id is a literal in the query, or a variable for the field or the whole input. */
function findNodeId(query: string, variables: Record<string, unknown>): string | undefined {
  const [, literal, variable] = /pullRequestId\s*:\s*(?:"([^"]*)"|\$(\w+))/.exec(query) ?? [];
  if (literal !== undefined) return literal;
  const [, input] = /input\s*:\s*\$(\w+)/.exec(query) ?? [];
  const value =
    variable === undefined
      ? (variables[input ?? ''] as Record<string, unknown> | undefined)?.['pullRequestId']
      : variables[variable];
  return typeof value === 'string' ? value : undefined;
}

type AccessiblePull = { request: PullRequest; repository: Repository };

function findAccessiblePull(
  host: Host,
  c: RestContext,
  { nodeId, level }: { nodeId: string; level: 'read' | 'write' },
): AccessiblePull | undefined {
  const request = findPullById(host, parsePullNodeId(nodeId) ?? 0);
  if (request === undefined) return undefined;
  const repository = getRepository(host, request.issue.repositoryId);
  try {
    assertAccess(c.get('caller'), repository, { permission: 'pull_requests', level });
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
  return { request, repository };
}

const toNotFoundResult = (nodeId: string) => ({
  data: { [mutation]: null },
  errors: [
    {
      type: 'NOT_FOUND',
      path: [mutation],
      locations: [{ line: 1, column: 1 }],
      message: `Could not resolve to a node with the global id of '${nodeId}'.`,
    },
  ],
});

function markReadyForReview(
  host: Host,
  c: RestContext,
  { request: { pull, issue }, repository }: AccessiblePull,
): void {
  if (pull.draft === 0 || issue.state === 'closed') return;
  host.database.transaction(() => {
    host.database.update('pulls', pull.id, { draft: 0 });
    host.database.update('issues', issue.id, { updatedAt: formatTimestamp() });
    emitPullEvent(host, repository, { pullId: pull.id, action: 'ready_for_review', sender: getSender(c) });
  });
}
