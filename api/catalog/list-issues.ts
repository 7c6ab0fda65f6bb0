import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import type { Issue, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { boardColumns, issueKey, type BoardColumn } from '../../src/rules/catalog/board.ts';
import type { Product } from '../../src/rules/catalog/kinds.ts';
import { RepoName } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { cutPage } from '../read-page.ts';
import { lastHeard } from '../../src/store/last-heard.ts';
import { answer, listSchema, PageQuery, ProductParams } from '../views.ts';
import { changesOf } from './changes-of.ts';
import { getProductOf } from './product.ts';
import { IssueView, issueView } from './schemas.ts';

const BoardView = listSchema(IssueView)
  .extend({ columns: z.array(z.object({ name: z.enum(boardColumns), count: z.int() })) })
  .openapi('Board');

const route = createRoute({
  operationId: 'listIssues',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/issues',
  tags: ['Issues'],
  summary: 'The board: the issues of a Product’s repos, by column; announced ones are off it',
  ...needs('viewer'),
  request: {
    params: ProductParams,
    query: PageQuery.extend({ column: z.enum(boardColumns).optional(), repo: RepoName.optional() }),
  },
  responses: { 200: answer('The board', BoardView), ...problems(401, 403, 404, 409, 422, 503) },
});

export function listIssues(app: App, { store, codehost }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { column, repo, ...page } = c.req.valid('query');
    const product = await getProductOf(store, ref);
    const repos = reposAsked(product, repo);
    const host = repos.length > 0 ? await codehost.forOrg(ref.org) : undefined;
    const [changes, ...found] = await Promise.all([
      changesOf(lastHeard(store), ref),
      ...repos.map(async (name) => (host ? await issuesOf(host, name, product) : [])),
    ]);
    const board = found.flat().flatMap(({ repo: of, ...issue }) => {
      const change = changes.get(issueKey({ repo: of, number: issue.number }));
      const view = issueView(issue, { repo: of, change, role: c.get('role') });
      return view.column ? [{ ...view, column: view.column }] : [];
    });
    const shown = board.filter((issue) => column === undefined || issue.column === column).toSorted(byColumn);
    const columns = boardColumns.map((name) => ({ name, count: board.filter((one) => one.column === name).length }));
    return c.json({ ...cutPage(shown, issueKey, page), columns }, 200);
  });
}

function reposAsked({ metadata, spec }: Product, repo: string | undefined): string[] {
  if (repo === undefined) return spec.repos;
  if (spec.repos.includes(repo)) return [repo];
  throw invalid(`${repo} is no repo of the Product "${metadata.name}".`, [
    { pointer: '?repo', detail: `must be one of ${spec.repos.join(', ')}` },
  ]);
}

/** What was closed before there was the Product is no work of its own. */
async function issuesOf(host: OrgCodehost, repo: string, product: Product): Promise<(Issue & { repo: string })[]> {
  const since = product.metadata.creationTimestamp;
  const [open, closed] = await Promise.all([
    host.issues(repo, { state: 'open' }),
    host.issues(repo, { state: 'closed', since }),
  ]);
  const seen = new Set(closed.map(({ number }) => number));
  // One that was closed between the two answers is in both.
  const own = closed.filter(({ closedAt = since }) => Date.parse(closedAt) >= Date.parse(since));
  return [...open.filter(({ number }) => !seen.has(number)), ...own].map((issue) => ({ ...issue, repo }));
}

type Placed = { column: BoardColumn; repo: string; number: number };

const byColumn = (one: Placed, other: Placed): number =>
  boardColumns.indexOf(one.column) - boardColumns.indexOf(other.column) ||
  one.repo.localeCompare(other.repo) ||
  other.number - one.number;
