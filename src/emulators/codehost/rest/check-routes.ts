import { z } from 'zod';
import { formatTimestamp } from '../format-timestamp.ts';
import { resolveCommit } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { HttpError, notFound } from '../http-error.ts';
import { findCheckRun, judgeCheck, listCheckRuns, listStatuses } from '../protection/checks.ts';
import { repositoryApiUrl, repositoryUrl, toRepositoryJson } from '../repositories.ts';
import type { Check, Repository } from '../tables.ts';
import { getAccessibleRepository, getNumberParam, getPathParam, paginate, readBody } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

const StatusBody = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  context: z.string().min(1).default('default'),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});
const conclusions = [
  'action_required',
  'cancelled',
  'failure',
  'neutral',
  'skipped',
  'stale',
  'success',
  'timed_out',
] as const;
const CheckRunPatch = z.object({
  status: z.enum(['queued', 'in_progress', 'completed']).optional(),
  conclusion: z.enum(conclusions).optional(),
  details_url: z.string().optional(),
});
const CheckRunBody = CheckRunPatch.extend({ name: z.string().min(1), head_sha: z.string().min(1) });

/** Commit statuses and check runs. On GitHub only apps create check runs; here the owner may, as its own CI. */
export function checkRoutes(rest: RestApi, host: Host): void {
  statusRoutes(rest, host);
  const runPath = '/v3/repos/:owner/:repo/check-runs';
  rest.get('/v3/repos/:owner/:repo/commits/:ref{.+}/check-runs', async (c) => {
    const { repository, sha } = await getCommit(host, c, 'checks');
    const name = c.req.query('check_name');
    const runs = listCheckRuns(host, repository.id, sha).filter((run) => name === undefined || run.name === name);
    const page = paginate(host, c, runs).map((run) => toCheckRunJson(host, repository, run));
    return c.json({ total_count: runs.length, check_runs: page });
  });
  rest.get('/v3/repos/:owner/:repo/commits/:ref{.+}/check-suites', async (c) => {
    await getCommit(host, c, 'checks');
    return c.json({ total_count: 0, check_suites: [] });
  });
  rest.post(runPath, async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'checks', level: 'write' });
    const { name, head_sha: sha, ...run } = await readBody(c, CheckRunBody, 'CheckRun');
    const id = insertCheck(host, repository, {
      sha,
      kind: 'run',
      name,
      state: toRunState(run) ?? 'queued',
      url: run.details_url ?? null,
    });
    return c.json(toCheckRunJson(host, repository, getCheckRun(host, repository, id)), 201);
  });
  rest.patch(`${runPath}/:id`, async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'checks', level: 'write' });
    const run = getCheckRun(host, repository, getNumberParam(c, 'id'));
    const patch = await readBody(c, CheckRunPatch, 'CheckRun');
    host.database.update('checks', run.id, { state: toRunState(patch) ?? run.state });
    return c.json(toCheckRunJson(host, repository, getCheckRun(host, repository, run.id)));
  });
}

function statusRoutes(rest: RestApi, host: Host): void {
  rest.post('/v3/repos/:owner/:repo/statuses/:sha', async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'statuses', level: 'write' });
    const { state, context, description = null, target_url: url = null } = await readBody(c, StatusBody, 'Status');
    const sha = getPathParam(c, 'sha');
    insertCheck(host, repository, { sha, kind: 'status', name: context, state, description, url });
    const status = listStatuses(host, repository.id, sha).find(({ name }) => name === context);
    if (status === undefined) throw notFound();
    return c.json(toStatusJson(host, repository, status), 201);
  });
  rest.get('/v3/repos/:owner/:repo/commits/:ref{.+}/statuses', async (c) => {
    const { repository, sha } = await getCommit(host, c, 'statuses');
    const statuses = paginate(host, c, listStatuses(host, repository.id, sha));
    return c.json(statuses.map((status) => toStatusJson(host, repository, status)));
  });
  rest.get('/v3/repos/:owner/:repo/commits/:ref{.+}/status', async (c) => {
    const { repository, sha } = await getCommit(host, c, 'statuses');
    const statuses = listStatuses(host, repository.id, sha);
    const url = `${repositoryApiUrl(host, repository)}/commits/${sha}`;
    return c.json({
      state: combineStates(statuses),
      statuses: paginate(host, c, statuses).map((status) => toStatusJson(host, repository, status)),
      sha,
      total_count: statuses.length,
      repository: toRepositoryJson(host, repository),
      commit_url: url,
      url: `${url}/status`,
    });
  });
}

function combineStates(statuses: Check[]): 'success' | 'pending' | 'failure' {
  const verdicts = statuses.map(judgeCheck);
  if (verdicts.includes('failed')) return 'failure';
  return verdicts.length === 0 || verdicts.includes('pending') ? 'pending' : 'success';
}

async function getCommit(
  host: Host,
  c: RestContext,
  permission: 'checks' | 'statuses',
): Promise<{ repository: Repository; sha: string }> {
  const repository = getAccessibleRepository(host, c, { permission, level: 'read' });
  const name = getPathParam(c, 'ref');
  const sha = await resolveCommit(host.git, host.directory(repository), name);
  if (sha === undefined) throw new HttpError(422, `No commit found for SHA: ${name}`);
  return { repository, sha };
}

type NewCheck = Pick<Check, 'sha' | 'kind' | 'name' | 'state' | 'url'> & { description?: string | null };

const insertCheck = (host: Host, { id }: Repository, check: NewCheck): number =>
  host.database.insert('checks', { description: null, ...check, repositoryId: id, createdAt: formatTimestamp() });

function getCheckRun(host: Host, repository: Repository, id: number): Check {
  const run = findCheckRun(host, repository.id, id);
  if (run === undefined) throw notFound();
  return run;
}

/** A conclusion completes a check run. */
const toRunState = ({ status, conclusion }: z.output<typeof CheckRunPatch>): string | undefined =>
  conclusion ?? (status === 'completed' ? 'success' : status);

function toCheckRunJson(host: Host, repository: Repository, { id, name, sha, state, url, createdAt }: Check) {
  const isCompleted = judgeCheck({ state }) !== 'pending';
  return {
    id,
    name,
    head_sha: sha,
    status: isCompleted ? 'completed' : state,
    conclusion: isCompleted ? state : null,
    started_at: createdAt,
    completed_at: isCompleted ? createdAt : null,
    details_url: url,
    url: `${repositoryApiUrl(host, repository)}/check-runs/${id}`,
    html_url: `${repositoryUrl(host, repository)}/runs/${id}`,
    output: { title: null, summary: null, text: null, annotations_count: 0 },
    pull_requests: [],
  };
}

const toStatusJson = (host: Host, repository: Repository, status: Check) => ({
  id: status.id,
  url: `${repositoryApiUrl(host, repository)}/statuses/${status.sha}`,
  state: status.state,
  context: status.name,
  description: status.description,
  target_url: status.url,
  created_at: status.createdAt,
  updated_at: status.createdAt,
});
