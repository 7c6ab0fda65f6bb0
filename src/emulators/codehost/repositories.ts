import { getAccount, toAccountJson } from './accounts.ts';
import type { Host } from './host.ts';
import type { Repository } from './tables.ts';

const selectRepositories =
  'SELECT repositories.*, accounts.login AS owner FROM repositories JOIN accounts ON accounts.id = repositories.ownerId';

export const findRepository = (
  { database }: Pick<Host, 'database'>,
  owner: string,
  name: string,
): Repository | undefined =>
  database.get<Repository>(`${selectRepositories} WHERE accounts.login = ? AND repositories.name = ?`, owner, name);

export function getRepository({ database }: Pick<Host, 'database'>, id: number): Repository {
  const repository = database.get<Repository>(`${selectRepositories} WHERE repositories.id = ?`, id);
  if (repository === undefined) throw new Error(`no repository ${id}`);
  return repository;
}

export const listOwnerRepositories = ({ database }: Pick<Host, 'database'>, ownerId: number): Repository[] =>
  database.all<Repository>(`${selectRepositories} WHERE ownerId = ? ORDER BY repositories.id`, ownerId);

export const listAllRepositories = ({ database }: Pick<Host, 'database'>): Repository[] =>
  database.all<Repository>(`${selectRepositories} ORDER BY repositories.id`);

/** Returns the sha of a branch or tag by its full name. */
export const findRefSha = (
  { database }: Pick<Host, 'database'>,
  repositoryId: number,
  ref: string,
): string | undefined =>
  database.get<{ sha: string }>('SELECT sha FROM refs WHERE repositoryId = ? AND name = ?', repositoryId, ref)?.sha;

export const findBranchSha = (host: Pick<Host, 'database'>, repositoryId: number, branch: string): string | undefined =>
  findRefSha(host, repositoryId, `refs/heads/${branch}`);

export const repositoryApiUrl = ({ apiUrl }: Pick<Host, 'apiUrl'>, { owner, name }: Repository): string =>
  `${apiUrl}/repos/${owner}/${name}`;
export const repositoryUrl = ({ url }: Pick<Host, 'url'>, { owner, name }: Repository): string =>
  `${url}/${owner}/${name}`;

export function toRepositoryJson(host: Host, repository: Repository) {
  const api = repositoryApiUrl(host, repository);
  const html = repositoryUrl(host, repository);
  const openIssues =
    host.database.get<{ count: number }>(
      "SELECT count(*) AS count FROM issues WHERE repositoryId = ? AND state = 'open'",
      repository.id,
    )?.count ?? 0;
  return {
    id: repository.id,
    node_id: Buffer.from(`repository:${repository.id}`).toString('base64url'),
    name: repository.name,
    full_name: `${repository.owner}/${repository.name}`,
    private: repository.private === 1,
    owner: toAccountJson(host, getAccount(host, repository.ownerId)),
    html_url: html,
    description: repository.description,
    fork: false,
    url: api,
    branches_url: `${api}/branches{/branch}`,
    commits_url: `${api}/commits{/sha}`,
    compare_url: `${api}/compare/{base}...{head}`,
    contents_url: `${api}/contents/{+path}`,
    git_commits_url: `${api}/git/commits{/sha}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    git_tags_url: `${api}/git/tags{/sha}`,
    hooks_url: `${api}/hooks`,
    issues_url: `${api}/issues{/number}`,
    labels_url: `${api}/labels{/name}`,
    pulls_url: `${api}/pulls{/number}`,
    releases_url: `${api}/releases{/id}`,
    statuses_url: `${api}/statuses/{sha}`,
    tags_url: `${api}/tags`,
    trees_url: `${api}/git/trees{/sha}`,
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    pushed_at: repository.pushedAt,
    git_url: `${html.replace(/^http/, 'git')}.git`,
    ssh_url: `git@localhost:${repository.owner}/${repository.name}.git`,
    clone_url: `${html}.git`,
    svn_url: html,
    homepage: null,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: false,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: openIssues,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repository.private === 1 ? 'private' : 'public',
    forks: 0,
    open_issues: openIssues,
    watchers: 0,
    default_branch: repository.defaultBranch,
  };
}
