import { notFound, Failure } from '../failure.ts';
import { readCommit } from '../git/commits.ts';
import { resolveCommit } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { branchSha, repositoryApiUrl, repositoryUrl } from '../repositories.ts';
import { commitShape } from './commit-shape.ts';
import { paginate, part, reach } from './requests.ts';
import type { Rest } from './requests.ts';

/** Branches and tags as lists to read. */
export function branchRoutes(rest: Rest, host: Host): void {
  const refsOf = (repositoryId: number, prefix: string): { name: string; sha: string }[] =>
    host.database
      .all<{ name: string; sha: string }>(
        'SELECT name, sha FROM refs WHERE repositoryId = ? AND substr(name, 1, ?) = ? ORDER BY name',
        repositoryId,
        prefix.length,
        prefix,
      )
      .map(({ name, sha }) => ({ name: name.slice(prefix.length), sha }));

  rest.get('/v3/repos/:owner/:repo/branches', (c) => {
    const repository = reach(host, c, { permission: 'contents', level: 'read' });
    const api = repositoryApiUrl(host, repository);
    const branches = paginate(host, c, refsOf(repository.id, 'refs/heads/'));
    return c.json(
      branches.map(({ name, sha }) => ({ name, commit: { sha, url: `${api}/commits/${sha}` }, protected: false })),
    );
  });

  rest.get('/v3/repos/:owner/:repo/branches/:branch{.+}', async (c) => {
    const repository = reach(host, c, { permission: 'contents', level: 'read' });
    const name = part(c, 'branch');
    const sha = branchSha(host, repository.id, name);
    if (sha === undefined) throw new Failure(404, 'Branch not found');
    const self = `${repositoryApiUrl(host, repository)}/branches/${name}`;
    return c.json({
      name,
      commit: commitShape(host, repository, await readCommit(host.git, host.directory(repository), sha)),
      _links: { self, html: `${repositoryUrl(host, repository)}/tree/${name}` },
      protected: false,
      protection: { enabled: false, required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] } },
      protection_url: `${self}/protection`,
    });
  });

  rest.get('/v3/repos/:owner/:repo/tags', async (c) => {
    const repository = reach(host, c, { permission: 'contents', level: 'read' });
    const api = repositoryApiUrl(host, repository);
    const html = repositoryUrl(host, repository);
    const tags = paginate(host, c, refsOf(repository.id, 'refs/tags/').reverse()).map(async ({ name }) => {
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
