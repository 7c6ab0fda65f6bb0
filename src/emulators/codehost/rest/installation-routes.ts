import { HttpError } from '../http-error.ts';
import type { Host } from '../host.ts';
import { listOwnerRepositories, toRepositoryJson } from '../repositories.ts';
import { paginate } from './requests.ts';
import type { RestApi } from './requests.ts';

export function installationRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/installation/repositories', (c) => {
    const caller = c.get('caller');
    if (caller.kind !== 'installation')
      throw new HttpError(
        403,
        'You must authenticate with an installation access token in order to list repositories for an installation.',
      );
    const { installation, repositoryIds } = caller;
    const repositories = listOwnerRepositories(host, installation.accountId).filter(
      ({ id }) => repositoryIds === null || repositoryIds.includes(id),
    );
    return c.json({
      total_count: repositories.length,
      repository_selection: repositoryIds === null ? 'all' : 'selected',
      repositories: paginate(host, c, repositories).map((repository) => toRepositoryJson(host, repository)),
    });
  });

  rest.delete('/v3/installation/token', (c) => {
    const caller = c.get('caller');
    if (caller.kind !== 'installation') throw new HttpError(401, 'Bad credentials');
    host.database.run('DELETE FROM installationTokens WHERE hash = ?', caller.tokenHash);
    return c.body(null, 204);
  });
}
