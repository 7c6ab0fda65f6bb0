import { HttpError, notFound, unprocessable } from '../http-error.ts';
import { readCommit, readCommits } from '../git/commits.ts';
import { readFileDiffs, readPatch } from '../git/diffs.ts';
import { listCommitsBetween, findMergeBase, resolveCommit } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { repositoryApiUrl, repositoryUrl } from '../repositories.ts';
import type { Repository } from '../tables.ts';
import { checkRoutes } from './check-routes.ts';
import { toCommitJson, toFileJson } from './commit-json.ts';
import { paginate, getPathParam, getAccessibleRepository, acceptsFormat } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

/** Every git repository knows this tree without files. */
const emptyTreeSha = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** GitHub lists no more files, and those of a comparison on the first page only. */
const commitFilesMax = 3_000;
const commitFilesPerPage = 300;
const comparedFilesMax = 300;
/** A comparison without a page has the newest commits. */
const unpagedCommitsMax = 250;
const readAccess = { permission: 'contents', level: 'read' } as const;

export function commitRoutes(rest: RestApi, host: Host): void {
  checkRoutes(rest, host);
  rest.get('/v3/repos/:owner/:repo/commits', (c) => listCommits(host, c));
  rest.get('/v3/repos/:owner/:repo/commits/:ref{.+}', (c) => getCommit(host, c));
  rest.get('/v3/repos/:owner/:repo/compare/:basehead{.+}', (c) => compareCommits(host, c));
}

async function resolveRequestedCommit(host: Host, c: RestContext, repository: Repository): Promise<string> {
  const name = getPathParam(c, 'ref');
  const sha = await resolveCommit(host.git, host.directory(repository), name);
  if (sha === undefined) throw new HttpError(422, `No commit found for SHA: ${name}`);
  return sha;
}

async function getCommit(host: Host, c: RestContext): Promise<Response> {
  const repository = getAccessibleRepository(host, c, readAccess);
  const directory = host.directory(repository);
  const sha = await resolveRequestedCommit(host, c, repository);
  if (acceptsFormat(c, 'sha')) return c.text(sha);
  const commit = await readCommit(host.git, directory, sha);
  const range: [string, string] = [commit.parents[0] ?? emptyTreeSha, sha];
  if (acceptsFormat(c, 'diff')) return c.text(await readPatch(host.git, directory, range));
  const files = await readFileDiffs(host.git, directory, range);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  return c.json({
    ...toCommitJson(host, repository, commit),
    stats: { total: additions + deletions, additions, deletions },
    files: paginate(host, c, files.slice(0, commitFilesMax), commitFilesPerPage).map((file) =>
      toFileJson(host, repository, { file, sha }),
    ),
  });
}

async function listCommits(host: Host, c: RestContext): Promise<Response> {
  const repository = getAccessibleRepository(host, c, readAccess);
  const directory = host.directory(repository);
  const { sha: name, path, since, until, author } = c.req.query();
  const start = await resolveCommit(host.git, directory, name ?? repository.defaultBranch);
  if (start === undefined) throw name === undefined ? new HttpError(409, 'Git Repository is empty.') : notFound();
  if ([since, until].some((time) => time !== undefined && Number.isNaN(Date.parse(time))))
    throw unprocessable({ resource: 'Commit', field: 'since', code: 'invalid' });
  const args = [
    'rev-list',
    ...(since === undefined ? [] : [`--since=${since}`]),
    ...(until === undefined ? [] : [`--until=${until}`]),
    ...(author === undefined ? [] : ['--fixed-strings', `--author=${author}`]),
    start,
    '--',
    ...(path === undefined || path === '' ? [] : [path]),
  ];
  const shas = (await host.git.text(directory, args, { env: { GIT_LITERAL_PATHSPECS: '1' } }))
    .split('\n')
    .filter(Boolean);
  const commits = await readCommits(host.git, directory, paginate(host, c, shas));
  return c.json(commits.map((commit) => toCommitJson(host, repository, commit)));
}

async function compareCommits(host: Host, c: RestContext): Promise<Response> {
  const repository = getAccessibleRepository(host, c, readAccess);
  const directory = host.directory(repository);
  const resolve = (name: string | undefined): Promise<string | undefined> =>
    resolveCommit(host.git, directory, (name ?? '').replace(new RegExp(`^${repository.owner}:`, 'i'), ''));
  const [baseName, headName] = getPathParam(c, 'basehead').split('...');
  const [base, head] = await Promise.all([resolve(baseName), resolve(headName)]);
  const fork = base && head && (await findMergeBase(host.git, directory, [base, head]));
  if (base === undefined || head === undefined || fork === undefined || fork === '') throw notFound();
  if (acceptsFormat(c, 'diff')) return c.text(await readPatch(host.git, directory, [fork, head]));

  const [ahead, behind] = await Promise.all([
    listCommitsBetween(host.git, directory, { base, head }),
    listCommitsBetween(host.git, directory, { base: head, head: base }),
  ]);
  const isPaged = c.req.query('page') !== undefined || c.req.query('per_page') !== undefined;
  const shas = isPaged ? paginate(host, c, ahead) : ahead.slice(-unpagedCommitsMax);
  const shapes = (await readCommits(host.git, directory, [base, fork, ...shas])).map((commit) =>
    toCommitJson(host, repository, commit),
  );
  const isFirstPage = (c.req.query('page') ?? '1') === '1';
  const files = isFirstPage ? await readFileDiffs(host.git, directory, [fork, head]) : [];
  const range = `${baseName}...${headName}`;
  const html = `${repositoryUrl(host, repository)}/compare/${range}`;
  return c.json({
    url: `${repositoryApiUrl(host, repository)}/compare/${range}`,
    html_url: html,
    permalink_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: shapes[0],
    merge_base_commit: shapes[1],
    status: ahead.length > 0 ? (behind.length > 0 ? 'diverged' : 'ahead') : behind.length > 0 ? 'behind' : 'identical',
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: shapes.slice(2),
    files: files.slice(0, comparedFilesMax).map((file) => toFileJson(host, repository, { file, sha: head })),
  });
}
