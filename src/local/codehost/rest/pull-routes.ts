import { z } from 'zod';
import { changePull } from '../change-pull.ts';
import { notFound } from '../failure.ts';
import { readCommits } from '../git/commits.ts';
import { readFileDiffs, readPatch } from '../git/diffs.ts';
import { commitsBetween, mergeBase } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { judgeSoon } from '../judge-mergeability.ts';
import { mergePull, updateBranch } from '../merge-pull.ts';
import { openPull } from '../open-pull.ts';
import { findPull, fullPullShape, mergeability, pullShape, pullsOf } from '../pulls.ts';
import type { PullRequest } from '../pulls.ts';
import { branchSha, repositoryApiUrl } from '../repositories.ts';
import type { Repository } from '../rows.ts';
import { commitShape, fileShape } from './commit-shape.ts';
import { numberPart, paginate, reach, readBody, sender, wants } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

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

const read = { permission: 'pull_requests', level: 'read' } as const;
const write = { permission: 'pull_requests', level: 'write' } as const;
const merging = { permission: 'contents', level: 'write' } as const;

export function pullInPath(host: Host, c: RestContext, repository: Repository): PullRequest {
  const request = findPull(host, repository.id, numberPart(c, 'pull_number'));
  if (request === undefined) throw notFound();
  return request;
}

export function pullRoutes(rest: Rest, host: Host): void {
  readRoutes(rest, host);
  mergeRoutes(rest, host);

  rest.post('/v3/repos/:owner/:repo/pulls', async (c) => {
    const repository = reach(host, c, write);
    const { body = null, ...words } = await readBody(c, PullBody, 'PullRequest');
    const request = await host.exclusively(repository.id, () =>
      openPull(host, repository, { ...words, body, author: sender(c) }),
    );
    c.header('Location', `${repositoryApiUrl(host, repository)}/pulls/${request.issue.number}`);
    return c.json(fullPullShape(host, repository, request), 201);
  });

  rest.patch('/v3/repos/:owner/:repo/pulls/:pull_number', async (c) => {
    const repository = reach(host, c, write);
    const patch = await readBody(c, PullPatch, 'PullRequest');
    await host.exclusively(repository.id, () =>
      changePull(host, repository, { request: pullInPath(host, c, repository), patch, sender: sender(c) }),
    );
    return c.json(fullPullShape(host, repository, pullInPath(host, c, repository)));
  });
}

function readRoutes(rest: Rest, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/pulls', (c) => listPulls(host, c));
  rest.get('/v3/repos/:owner/:repo/pulls/:pull_number', async (c) => {
    const repository = reach(host, c, read);
    const request = pullInPath(host, c, repository);
    if (wants(c, 'diff'))
      return c.text(await readPatch(host.git, host.directory(repository), await diffRange(host, repository, request)));
    if (request.issue.state === 'open' && mergeability(host, repository, request) === null)
      judgeSoon(host, repository, request.pull.id);
    return c.json(fullPullShape(host, repository, request));
  });
  rest.get('/v3/repos/:owner/:repo/pulls/:pull_number/files', async (c) => {
    const repository = reach(host, c, read);
    const request = pullInPath(host, c, repository);
    const files = await readFileDiffs(host.git, host.directory(repository), await diffRange(host, repository, request));
    return c.json(
      paginate(host, c, files).map((file) => fileShape(host, repository, { file, sha: request.pull.headSha })),
    );
  });
  rest.get('/v3/repos/:owner/:repo/pulls/:pull_number/commits', async (c) => {
    const repository = reach(host, c, read);
    const { pull, issue } = pullInPath(host, c, repository);
    const base = baseOf(host, repository, { pull, issue });
    const shas = await commitsBetween(host.git, host.directory(repository), { base, head: pull.headSha });
    const commits = await readCommits(host.git, host.directory(repository), paginate(host, c, shas));
    return c.json(commits.map((commit) => commitShape(host, repository, commit)));
  });
}

/** Where the base is; once it is over, where it was. */
const baseOf = (host: Host, repository: Repository, { pull, issue }: PullRequest): string =>
  issue.state === 'closed' ? pull.baseSha : (branchSha(host, repository.id, pull.baseRef) ?? pull.baseSha);

async function diffRange(host: Host, repository: Repository, request: PullRequest): Promise<[string, string]> {
  const base = baseOf(host, repository, request);
  const head = request.pull.headSha;
  return [(await mergeBase(host.git, host.directory(repository), [base, head])) ?? base, head];
}

function mergeRoutes(rest: Rest, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/pulls/:pull_number/merge', (c) => {
    const repository = reach(host, c, read);
    if (pullInPath(host, c, repository).pull.mergedAt === null) throw notFound();
    return c.body(null, 204);
  });
  rest.put('/v3/repos/:owner/:repo/pulls/:pull_number/merge', async (c) => {
    const repository = reach(host, c, merging);
    const {
      commit_title: title,
      commit_message: message,
      sha,
      merge_method: method,
    } = await readBody(c, MergeBody, 'PullRequest');
    const order = { method, title, message, sha, sender: sender(c) };
    const baseSha = branchSha(host, repository.id, pullInPath(host, c, repository).pull.baseRef);
    const merged = await host.exclusively(repository.id, () =>
      mergePull(host, repository, { request: pullInPath(host, c, repository), order, baseSha }),
    );
    return c.json({ sha: merged, merged: true, message: 'Pull Request successfully merged' });
  });
  rest.put('/v3/repos/:owner/:repo/pulls/:pull_number/update-branch', async (c) => {
    const repository = reach(host, c, write);
    const { expected_head_sha: expected } = await readBody(c, UpdateBody, 'PullRequest');
    await host.exclusively(repository.id, () =>
      updateBranch(host, repository, { request: pullInPath(host, c, repository), expected, sender: sender(c) }),
    );
    const url = `${repositoryApiUrl(host, repository)}/pulls/${numberPart(c, 'pull_number')}`;
    return c.json({ message: 'Updating pull request branch.', url }, 202);
  });
}

function listPulls(host: Host, c: RestContext): Response {
  const repository = reach(host, c, read);
  const {
    state = 'open',
    head,
    base,
    sort = 'created',
    direction = sort === 'created' ? 'desc' : 'asc',
  } = c.req.query();
  // As on the real host, a head without its owner filters nothing.
  const wanted = head?.includes(':') === true ? head.toLowerCase() : undefined;
  const matches = ({ pull, issue }: PullRequest): boolean =>
    (state === 'all' || issue.state === state) &&
    (base === undefined || pull.baseRef === base) &&
    (wanted === undefined || `${repository.owner}:${pull.headRef}`.toLowerCase() === wanted);
  const key = ({ issue }: PullRequest): number => (sort === 'updated' ? Date.parse(issue.updatedAt) : issue.number);
  const sign = direction === 'asc' ? 1 : -1;
  const requests = pullsOf(host, repository.id)
    .filter(matches)
    .sort((one, other) => sign * (key(one) - key(other) || one.issue.number - other.issue.number));
  return c.json(paginate(host, c, requests).map((request) => pullShape(host, repository, request)));
}
