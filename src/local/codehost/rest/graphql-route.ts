import { z } from 'zod';
import { mustReach } from '../callers.ts';
import { Failure } from '../failure.ts';
import type { Host } from '../host.ts';
import { announcePull } from '../pull-events.ts';
import { pullById, pullIdOfNode, pullNodeId } from '../pulls.ts';
import type { PullRequest } from '../pulls.ts';
import { repositoryById, repositoryUrl } from '../repositories.ts';
import type { Repository } from '../rows.ts';
import { hostTime } from '../times.ts';
import { readBody, sender } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

const Query = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).nullish() });

const mutation = 'markPullRequestReadyForReview';

/** Of GraphQL, the one thing that the REST API cannot do: taking a pull request out of draft. */
export function graphqlRoute(rest: Rest, host: Host): void {
  rest.post('/graphql', async (c) => {
    if (c.get('caller').kind === 'anonymous') throw new Failure(401, 'This endpoint requires you to be authenticated.');
    const { query, variables } = await readBody(c, Query, 'Query');
    if (!new RegExp(`\\b${mutation}\\b`).test(query)) {
      return c.json({
        errors: [{ type: 'undefinedField', message: `This stand-in knows the mutation ${mutation} alone.` }],
      });
    }
    const nodeId = nodeIdIn(query, variables ?? {});
    const found = nodeId === undefined ? undefined : reachable(host, c, nodeId);
    if (found === undefined) return c.json(unresolved(nodeId ?? ''));
    markReady(host, c, found);
    const { pull, issue } = pullById(host, found.request.pull.id) ?? found.request;
    const fields = {
      id: pullNodeId(pull),
      isDraft: pull.draft === 1,
      number: issue.number,
      title: issue.title,
      state: pull.mergedAt === null ? issue.state.toUpperCase() : 'MERGED',
      url: `${repositoryUrl(host, found.repository)}/pull/${issue.number}`,
      headRefOid: pull.headSha,
    };
    const [, selection = ''] = /\bpullRequest\s*\{([^}]*)\}/.exec(query) ?? [];
    const asked = Object.entries(fields).filter(([name]) => new RegExp(`\\b${name}\\b`).test(selection));
    return c.json({ data: { [mutation]: { pullRequest: Object.fromEntries(asked) } } });
  });
}

/** The id stands in the text, or in a variable: the input's field or the whole input. */
function nodeIdIn(query: string, variables: Record<string, unknown>): string | undefined {
  const [, literal, variable] = /pullRequestId\s*:\s*(?:"([^"]*)"|\$(\w+))/.exec(query) ?? [];
  if (literal !== undefined) return literal;
  const [, input] = /input\s*:\s*\$(\w+)/.exec(query) ?? [];
  const value =
    variable === undefined
      ? (variables[input ?? ''] as Record<string, unknown> | undefined)?.['pullRequestId']
      : variables[variable];
  return typeof value === 'string' ? value : undefined;
}

type Found = { request: PullRequest; repository: Repository };

function reachable(host: Host, c: RestContext, nodeId: string): Found | undefined {
  const request = pullById(host, pullIdOfNode(nodeId) ?? 0);
  if (request === undefined) return undefined;
  const repository = repositoryById(host, request.issue.repositoryId);
  try {
    mustReach(c.get('caller'), repository, { permission: 'pull_requests', level: 'write' });
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
  return { request, repository };
}

const unresolved = (nodeId: string) => ({
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

function markReady(host: Host, c: RestContext, { request: { pull, issue }, repository }: Found): void {
  if (pull.draft === 0 || issue.state === 'closed') return;
  host.database.transaction(() => {
    host.database.update('pulls', pull.id, { draft: 0 });
    host.database.update('issues', issue.id, { updatedAt: hostTime() });
    announcePull(host, repository, { pullId: pull.id, action: 'ready_for_review', sender: sender(c) });
  });
}
