import { z } from 'zod';
import { updateBranch } from '../update-branch.ts';
import { updatePull } from '../update-pull.ts';
import { notFound } from '../http-error.ts';
import { readCommits } from '../git/commits.ts';
import { readFileDiffs, readPatch } from '../git/diffs.ts';
import { listCommitsBetween, findMergeBase } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { scheduleMergeabilityCheck } from '../schedule-mergeability-check.ts';
import { mergePull } from '../merge-pull.ts';
import { openPull } from '../open-pull.ts';
import { findPull, toPullDetailJson, readMergeability, toPullJson, listRepositoryPulls } from '../pulls.ts';
import type { PullRequest } from '../pulls.ts';
import { mayChangeCiFiles } from '../protection/ci-files.ts';
import { findBranchSha, repositoryApiUrl } from '../repositories.ts';
import type { Repository } from '../tables.ts';
import { toCommitJson, toFileJson } from './commit-json.ts';
import { getNumberParam, paginate, getAccessibleRepository, readBody, getSender, acceptsFormat } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

const PullBody = z.object({
  title: z.string().min(1),
  body: z.string().nullish(),
  head: z.string().min(1),
  base: z.string().min(1),
  draft: z.boolean().default(false),
});
const PullPatch = z.object({
  title: z.string().min(1).optional(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']).optional(),
  base: z.string().min(1).optional(),
});
const MergeBody = z.object({
  commit_title: z.string().optional(),
  commit_message: z.string().optional(),
  sha: z.string().optional(),
  merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
});
const UpdateBody = z.object({ expected_head_sha: z.string().optional() });

/** GitHub lists no more files. */
const filesMax = 3_000;
const readAccess = { permission: 'pull_requests', level: 'read' } as const;
const writeAccess = { permission: 'pull_requests', level: 'write' } as const;
const mergeAccess = { permission: 'contents', level: 'write' } as const;

export function getRequestedPull(host: Host, c: RestContext, repository: Repository): PullRequest {
  const request = findPull(host, repository.id, getNumberParam(c, 'pull_number'));
  if (request === undefined) throw notFound();
  return request;
}

export function pullRoutes(rest: RestApi, host: Host): void {
  readRoutes(rest, host);
  mergeRoutes(rest, host);

  rest.post('/v3/repos/:owner/:repo/pulls', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const { body = null, ...fields } = await readBody(c, PullBody, 'PullRequest');
    const request = await host.runExclusive(repository.id, () =>
      openPull(host, repository, { ...fields, body, author: getSender(c) }),
    );
    c.header('Location', `${repositoryApiUrl(host, repository)}/pulls/${request.issue.number}`);
    return c.json(toPullDetailJson(host, repository, request), 201);
  });

  rest.patch('/v3/repos/:owner/:repo/pulls/:pull_number', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const patch = await readBody(c, PullPatch, 'PullRequest');
    await host.runExclusive(repository.id, () =>
      updatePull(host, repository, { request: getRequestedPull(host, c, repository), patch, sender: getSender(c) }),
    );
    return c.json(toPullDetailJson(host, repository, getRequestedPull(host, c, repository)));
  });
}

function readRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/pulls', (c) => listPulls(host, c));
  rest.get('/v3/repos/:owner/:repo/pulls/:pull_number', async (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    const request = getRequestedPull(host, c, repository);
    if (acceptsFormat(c, 'diff'))
      return c.text(
        await readPatch(host.git, host.directory(repository), await resolveDiffRange(host, repository, request)),
      );
    if (request.issue.state === 'open' && readMergeability(host, repository, request) === null)
      scheduleMergeabilityCheck(host, repository, request.pull.id);
    return c.json(toPullDetailJson(host, repository, request));
  });
  rest.get('/v3/repos/:owner/:repo/pulls/:pull_number/files', async (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    const request = getRequestedPull(host, c, repository);
    const files = await readFileDiffs(
      host.git,
      host.directory(repository),
      await resolveDiffRange(host, repository, request),
    );
    return c.json(
      paginate(host, c, files.slice(0, filesMax)).map((file) =>
        toFileJson(host, repository, { file, sha: request.pull.headSha }),
      ),
    );
  });
  rest.get('/v3/repos/:owner/:repo/pulls/:pull_number/commits', async (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    const { pull, issue } = getRequestedPull(host, c, repository);
    const base = getBaseSha(host, repository, { pull, issue });
    const shas = await listCommitsBetween(host.git, host.directory(repository), { base, head: pull.headSha });
    const commits = await readCommits(host.git, host.directory(repository), paginate(host, c, shas));
    return c.json(commits.map((commit) => toCommitJson(host, repository, commit)));
  });
}

/** A closed pull request keeps the base commit of its last update. */
const getBaseSha = (host: Host, repository: Repository, { pull, issue }: PullRequest): string =>
  issue.state === 'closed' ? pull.baseSha : (findBranchSha(host, repository.id, pull.baseRef) ?? pull.baseSha);

async function resolveDiffRange(host: Host, repository: Repository, request: PullRequest): Promise<[string, string]> {
  const base = getBaseSha(host, repository, request);
  const head = request.pull.headSha;
  return [(await findMergeBase(host.git, host.directory(repository), [base, head])) ?? base, head];
}

function mergeRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/pulls/:pull_number/merge', (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    if (getRequestedPull(host, c, repository).pull.mergedAt === null) throw notFound();
    return c.body(null, 204);
  });
  rest.put('/v3/repos/:owner/:repo/pulls/:pull_number/merge', async (c) => {
    const repository = getAccessibleRepository(host, c, mergeAccess);
    const {
      commit_title: title,
      commit_message: message,
      sha,
      merge_method: method,
    } = await readBody(c, MergeBody, 'PullRequest');
    const caller = c.get('caller');
    const options = { method, title, message, sha, sender: getSender(c), mayChangeCiFiles: mayChangeCiFiles(caller) };
    const baseSha = findBranchSha(host, repository.id, getRequestedPull(host, c, repository).pull.baseRef);
    const merged = await host.runExclusive(repository.id, () =>
      mergePull(host, repository, { request: getRequestedPull(host, c, repository), options, baseSha }),
    );
    return c.json({ sha: merged, merged: true, message: 'Pull Request successfully merged' });
  });
  rest.put('/v3/repos/:owner/:repo/pulls/:pull_number/update-branch', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const { expected_head_sha: expectedHeadSha } = await readBody(c, UpdateBody, 'PullRequest');
    await host.runExclusive(repository.id, () =>
      updateBranch(host, repository, {
        request: getRequestedPull(host, c, repository),
        expectedHeadSha,
        sender: getSender(c),
      }),
    );
    const url = `${repositoryApiUrl(host, repository)}/pulls/${getNumberParam(c, 'pull_number')}`;
    return c.json({ message: 'Updating pull request branch.', url }, 202);
  });
}

function listPulls(host: Host, c: RestContext): Response {
  const repository = getAccessibleRepository(host, c, readAccess);
  const {
    state = 'open',
    head,
    base,
    sort = 'created',
    direction = sort === 'created' ? 'desc' : 'asc',
  } = c.req.query();
  // On GitHub, a head without its owner does not filter.
  const wanted = head?.includes(':') === true ? head.toLowerCase() : undefined;
  const matches = ({ pull, issue }: PullRequest): boolean =>
    (state === 'all' || issue.state === state) &&
    (base === undefined || pull.baseRef === base) &&
    (wanted === undefined || `${repository.owner}:${pull.headRef}`.toLowerCase() === wanted);
  const key = ({ issue }: PullRequest): number => (sort === 'updated' ? Date.parse(issue.updatedAt) : issue.number);
  const sign = direction === 'asc' ? 1 : -1;
  const requests = listRepositoryPulls(host, repository.id)
    .filter(matches)
    .sort((one, other) => sign * (key(one) - key(other) || one.issue.number - other.issue.number));
  return c.json(paginate(host, c, requests).map((request) => toPullJson(host, repository, request)));
}
