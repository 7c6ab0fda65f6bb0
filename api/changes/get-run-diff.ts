import { createRoute, z } from '@hono/zod-openapi';
import { LRUCache } from 'lru-cache';
import { notFound } from '../../src/errors.ts';
import type { DiffFile } from '../../src/integrations/codehost/codehost.ts';
import { isGeneratedPath } from '../../src/rules/changes/is-generated-path.ts';
import { pagePatch } from '../../src/rules/changes/page-patch.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { decodePosition, encodePosition } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { decimal, jsonResponse, listSchema, PageQuery, RunParams } from '../http/views.ts';
import { readRunDiff, type RunDiff } from './read-run-diff.ts';
import { getRunByName } from './run-view.ts';

const patchBytesMax = 256 * 1024;
/** A person reads the files of a diff one after the other; the code host returns all of them each time. */
const cacheMs = 30_000;
const cachedCharactersMax = 32 * 1024 * 1024;

const DiffQuery = PageQuery.extend({
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .openapi({ description: 'Only this file, with its hunks.', example: 'src/greet.ts' }),
  limit: decimal({ min: 1, max: 3000 }).default(300).openapi({
    description: 'Maximum number of files; with `path`, maximum number of lines, without hunk headers.',
    default: 300,
  }),
});

const DiffFileView = z
  .object({
    path: z.string().describe('Path of the file.'),
    previousPath: z.string().optional().describe('Path of the file before it was renamed or copied.'),
    status: z.enum(['added', 'removed', 'modified', 'renamed', 'copied']).describe('What happened to the file.'),
    additions: z.int().describe('Number of added lines.'),
    deletions: z.int().describe('Number of removed lines.'),
    generated: z.boolean().describe('Whether tools write the file, such as a lock file, judged by its path.'),
    omitted: z
      .enum(['binary', 'too-large'])
      .optional()
      .describe(
        'Why the code host returns no hunks: the file is binary or only its mode changed, or its diff is too large.',
      ),
    patch: z
      .string()
      .optional()
      .describe(
        'Hunks in the unified format, without file headers. Present only with `path`. Each page is valid by itself.',
      ),
  })
  .openapi('DiffFile');

const RunDiffView = listSchema(DiffFileView)
  .extend({
    source: z
      .enum(['branch', 'pull-request', 'merge-commit'])
      .optional()
      .describe('What the diff was read from; absent while the run has no commit.'),
    base: z.string().optional().describe('Commit that the files are compared with.'),
    head: z.string().optional().describe('Newest commit of the run, or its merge commit.'),
    totals: z
      .object({
        files: z.int().describe('Number of changed files.'),
        additions: z.int().describe('Number of added lines.'),
        deletions: z.int().describe('Number of removed lines.'),
      })
      .describe('Sums of all listed files.'),
    truncated: z
      .boolean()
      .describe('Whether the code host lists no more files: at most 3,000, or 300 before there is a pull request.'),
    items: z.array(DiffFileView).describe('Changed files, in the order of the code host.'),
  })
  .openapi('RunDiff');
type RunDiffView = z.infer<typeof RunDiffView>;

const route = createRoute({
  operationId: 'getRunDiff',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/diff',
  tags: ['Changes'],
  summary: 'Get the diff of a run',
  description:
    'Lists the files that the run changes, or with `path` the hunks of one file. After the merge, returns the changes of the merge commit. The diff of a run without a commit is empty. Fails with 404 if the diff does not contain `path`.',
  ...requireRole('viewer'),
  request: { params: RunParams, query: DiffQuery },
  responses: { 200: jsonResponse('The diff', RunDiffView), ...problems(401, 403, 404, 409, 422) },
});

export function getRunDiff(app: App, deps: ApiDeps): void {
  const cache = new LRUCache<string, RunDiff>({
    ttl: cacheMs,
    maxSize: cachedCharactersMax,
    sizeCalculation: ({ files }) => files.reduce((sum, { path, patch = '' }) => sum + path.length + patch.length, 1),
  });
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { path, limit, continue: token } = c.req.valid('query');
    // A position is the number of files, or lines of the file, that were returned.
    const after = token === undefined ? 0 : Number(decodePosition(c, token)[0]);
    const toContinue = (next: number | undefined) =>
      next === undefined ? {} : { continue: encodePosition(c, [next]) };
    const run = await getRunByName(deps.store, ref);
    const key = `${run.metadata.uid} ${run.metadata.resourceVersion}`;
    // A list is always current. Its files are then read from the same diff, so that they belong to it.
    const cached = path === undefined ? undefined : cache.get(key);
    const diff = cached ?? (await readRunDiff(deps, ref.org, run));
    if (diff && !cached) cache.set(key, diff);
    const summary = toSummary(diff);
    if (path === undefined) {
      const { files = [] } = diff ?? {};
      const items = files.slice(after, after + limit).map(toFileView);
      return c.json(
        { ...summary, items, ...toContinue(after + limit < files.length ? after + limit : undefined) },
        200,
      );
    }
    const file = diff?.files.find((candidate) => candidate.path === path);
    if (!file) throw notFound('file', path, `the diff of run "${ref.run}"`);
    const page = pagePatch(file.patch ?? '', { after, lines: limit, bytes: patchBytesMax });
    const patch = file.patch === undefined ? {} : { patch: page.patch };
    return c.json({ ...summary, items: [{ ...toFileView(file), ...patch }], ...toContinue(page.next) }, 200);
  });
}

function toSummary(diff: RunDiff | undefined): Omit<RunDiffView, 'items' | 'continue'> {
  const files = diff?.files ?? [];
  const sum = (field: 'additions' | 'deletions') => files.reduce((total, file) => total + file[field], 0);
  return {
    ...(diff && { source: diff.source, base: diff.base, head: diff.head }),
    totals: { files: files.length, additions: sum('additions'), deletions: sum('deletions') },
    truncated: diff?.isTruncated ?? false,
  };
}

const toFileView = ({ patch: _patch, ...file }: DiffFile) => ({ ...file, generated: isGeneratedPath(file.path) });
