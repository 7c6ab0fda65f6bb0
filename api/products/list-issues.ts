import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import type { Issue, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { boardColumns, issueKey, type BoardColumn } from '../../src/rules/products/board.ts';
import type { Product } from '../../src/rules/products/kinds.ts';
import { RepoName } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { paginate } from '../http/pagination.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { jsonResponse, listSchema, PageQuery, ProductParams } from '../http/views.ts';
import { countNewIssues } from './count-new-issues.ts';
import { listLastChanges } from './last-changes.ts';
import { getProductByName } from './product.ts';
import { IssueView, toIssueView } from './schemas.ts';

const BoardView = listSchema(IssueView)
  .extend({
    columns: z
      .array(
        z.object({
          name: z.enum(boardColumns).describe('Name of the column.'),
          count: z.int().describe('Number of issues in the column.'),
        }),
      )
      .describe('Columns of the board, in order.'),
    creating: z
      .int()
      .optional()
      .describe(
        'Number of issues of the Product that are being created; absent while the workflow server does not respond.',
      ),
  })
  .openapi('Board');

const route = createRoute({
  operationId: 'listIssues',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/issues',
  tags: ['Issues'],
  summary: 'List the issues of a Product by board column',
  description:
    'Returns the issues of all repos in the order of the board, and the number of issues in each column. Announced issues are not on the board.',
  ...requireRole('viewer'),
  request: {
    params: ProductParams,
    query: PageQuery.extend({
      column: z.enum(boardColumns).optional().describe('Only issues in this column.'),
      repo: RepoName.optional().describe('Only issues of this repo.'),
    }),
  },
  responses: { 200: jsonResponse('The board', BoardView), ...problems(401, 403, 404, 409, 422) },
});

export function listIssues(app: App, { store, codehost, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { column, repo, ...query } = c.req.valid('query');
    const product = await getProductByName(store, ref);
    const repos = selectRepos(product, repo);
    const orgCodehost = repos.length > 0 ? await codehost.forOrg(ref.org) : undefined;
    // The count is read first: an issue that is created meanwhile is in the count, in the list or in both, never in none.
    const creating = await countNewIssues(temporal, ref);
    const [changes, ...found] = await Promise.all([
      listLastChanges(cachedReads(store), ref),
      ...repos.map(async (name) => (orgCodehost ? await listRepoIssues(orgCodehost, name, product) : [])),
    ]);
    const board = found.flat().flatMap(({ repo: issueRepo, ...issue }) => {
      const change = changes.get(issueKey({ repo: issueRepo, number: issue.number }));
      const view = toIssueView(issue, { repo: issueRepo, change, role: c.get('role') });
      return view.column ? [{ ...view, column: view.column }] : [];
    });
    const matching = board.filter((issue) => column === undefined || issue.column === column);
    const columns = boardColumns.map((name) => ({
      name,
      count: board.filter((issue) => issue.column === name).length,
    }));
    const page = paginate(c, matching, { toPosition, query });
    return c.json({ ...page, columns, ...(creating !== undefined && { creating }) }, 200);
  });
}

function selectRepos({ metadata, spec }: Product, repo: string | undefined): string[] {
  if (repo === undefined) return spec.repos;
  if (spec.repos.includes(repo)) return [repo];
  throw invalid(`${repo} is not a repo of the Product "${metadata.name}".`, [
    { pointer: '?repo', detail: `must be one of ${spec.repos.join(', ')}` },
  ]);
}

/** Issues that were closed before the Product existed are not part of its board. */
async function listRepoIssues(
  codehost: OrgCodehost,
  repo: string,
  product: Product,
): Promise<(Issue & { repo: string })[]> {
  const since = product.metadata.creationTimestamp;
  const [open, closed] = await Promise.all([
    codehost.listIssues(repo, { state: 'open' }),
    codehost.listIssues(repo, { state: 'closed', since }),
  ]);
  // An issue that is closed between the two requests is in both responses; the closed one counts.
  const closedNumbers = new Set(closed.map(({ number }) => number));
  const closedSince = closed.filter(({ closedAt = since }) => Date.parse(closedAt) >= Date.parse(since));
  return [...open.filter(({ number }) => !closedNumbers.has(number)), ...closedSince].map((issue) => ({
    ...issue,
    repo,
  }));
}

type BoardPosition = { column: BoardColumn; repo: string; number: number };

/** Within a column and repo, the newest issue is first. */
const toPosition = ({ column, repo, number }: BoardPosition): [number, string, number] => [
  boardColumns.indexOf(column),
  repo,
  -number,
];
