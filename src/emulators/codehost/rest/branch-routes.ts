import { notFound, HttpError } from '../http-error.ts';
import { readCommit } from '../git/commits.ts';
import { resolveCommit } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { findBranchSha, repositoryApiUrl, repositoryUrl } from '../repositories.ts';
import { isProtected } from '../protection/branch-rules.ts';
import { toCommitJson } from './commit-json.ts';
import { protectionRoutes, toProtectionJson } from './protection-routes.ts';
import { paginate, getPathParam, getAccessibleRepository } from './requests.ts';
import type { RestApi } from './requests.ts';

export function branchRoutes(rest: RestApi, host: Host): void {
  const listRefs = (repositoryId: number, prefix: string): { name: string; sha: string }[] =>
    host.database
      .all<{ name: string; sha: string }>(
        'SELECT name, sha FROM refs WHERE repositoryId = ? AND substr(name, 1, ?) = ? ORDER BY name',
        repositoryId,
        prefix.length,
        prefix,
      )
      .map(({ name, sha }) => ({ name: name.slice(prefix.length), sha }));

  rest.get('/v3/repos/:owner/:repo/branches', (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'contents', level: 'read' });
    const api = repositoryApiUrl(host, repository);
    const branches = paginate(host, c, listRefs(repository.id, 'refs/heads/'));
    return c.json(
      branches.map(({ name, sha }) => ({
        name,
        commit: { sha, url: `${api}/commits/${sha}` },
        protected: isProtected(host, repository.id, name),
      })),
    );
  });
  protectionRoutes(rest, host);

  rest.get('/v3/repos/:owner/:repo/branches/:branch{.+}', async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'contents', level: 'read' });
    const name = getPathParam(c, 'branch');
    const sha = findBranchSha(host, repository.id, name);
    if (sha === undefined) throw new HttpError(404, 'Branch not found');
    const self = `${repositoryApiUrl(host, repository)}/branches/${name}`;
    return c.json({
      name,
      commit: toCommitJson(host, repository, await readCommit(host.git, host.directory(repository), sha)),
      _links: { self, html: `${repositoryUrl(host, repository)}/tree/${name}` },
      protected: isProtected(host, repository.id, name),
      protection: toProtectionJson(host, repository, name),
      protection_url: `${self}/protection`,
    });
  });

  rest.get('/v3/repos/:owner/:repo/tags', async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'contents', level: 'read' });
    const api = repositoryApiUrl(host, repository);
    const html = repositoryUrl(host, repository);
    const tags = paginate(host, c, listRefs(repository.id, 'refs/tags/').reverse()).map(async ({ name }) => {
      const sha = await resolveCommit(host.git, host.directory(repository), `refs/tags/${name}`);
      if (sha === undefined) throw notFound();
      return {
        name,
        zipball_url: `${api}/zipball/refs/tags/${name}`,
        tarball_url: `${api}/tarball/refs/tags/${name}`,
        commit: { sha, url: `${api}/commits/${sha}` },
        node_id: Buffer.from(`tag:${html}:${name}`).toString('base64url'),
      };
    });
    return c.json(await Promise.all(tags));
  });
}
