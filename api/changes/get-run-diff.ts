import { createRoute, z } from '@hono/zod-openapi';
import { LRUCache } from 'lru-cache';
import { notFound } from '../../src/errors.ts';
import type { DiffFile } from '../../src/integrations/codehost/codehost.ts';
import { isGeneratedPath } from '../../src/rules/changes/is-generated-path.ts';
import { pagePatch } from '../../src/rules/changes/page-patch.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { decimal, jsonResponse, RunParams } from '../http/views.ts';
import { readRunDiff, type RunDiff } from './read-run-diff.ts';
import { getRunByName } from './run-view.ts';

const patchBytesMax = 256 * 1024;
/** A person reads the files of a diff one after the other; the code host returns all of them each time. */
const cacheMs = 30_000;
const cachedCharactersMax = 32 * 1024 * 1024;

const DiffQuery = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .openapi({ description: 'Only this file, with its hunks.', example: 'src/greet.ts' }),
  after: decimal({ min: 0, max: 10_000_000 }).default(0).openapi({
    description: 'Number of files to skip; with `path`, number of lines to skip, without hunk headers.',
    default: 0,
  }),
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

const RunDiffView = z
  .object({
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
    continue: z
      .string()
      .optional()
      .openapi({ description: 'Present if there are more files or lines; send it as `after` to get them.' }),
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
  responses: { 200: jsonResponse('The diff', RunDiffView), ...problems(401, 403, 404, 409, 422, 503) },
});

export function getRunDiff(app: App, deps: ApiDeps): void {
  const cache = new LRUCache<string, RunDiff>({
    ttl: cacheMs,
    maxSize: cachedCharactersMax,
    sizeCalculation: ({ files }) => files.reduce((sum, { path, patch = '' }) => sum + path.length + patch.length, 1),
  });
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { path, after, limit } = c.req.valid('query');
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

const toContinue = (next: number | undefined) => (next === undefined ? {} : { continue: String(next) });
