import { z } from 'zod';
import { notFound } from '../http-error.ts';
import type { Host } from '../host.ts';
import { getRelease, listRepositoryReleases, saveRelease, toReleaseJson } from '../releases.ts';
import { repositoryApiUrl } from '../repositories.ts';
import type { Release, Repository } from '../tables.ts';
import { getNumberParam, paginate, getPathParam, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

const ReleaseBody = z.object({
  tag_name: z.string().min(1),
  target_commitish: z.string().min(1).optional(),
  name: z.string().nullish(),
  body: z.string().nullish(),
  draft: z.boolean().default(false),
  prerelease: z.boolean().default(false),
});
const ReleasePatch = z.object({
  ...ReleaseBody.shape,
  tag_name: z.string().min(1).optional(),
  draft: z.boolean().optional(),
  prerelease: z.boolean().optional(),
});

const readAccess = { permission: 'contents', level: 'read' } as const;
const writeAccess = { permission: 'contents', level: 'write' } as const;

export function releaseRoutes(rest: RestApi, host: Host): void {
  const getPublished = (repository: Repository, where: (release: Release) => boolean): Release => {
    const release = listRepositoryReleases(host, repository).find((one) => one.draft === 0 && where(one));
    if (release === undefined) throw notFound();
    return release;
  };
  rest.get('/v3/repos/:owner/:repo/releases', (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    // Drafts are visible with write access only.
    const caller = c.get('caller');
    const canWrite =
      caller.kind === 'user' || (caller.kind === 'installation' && caller.permissions['contents'] === 'write');
    const releases = listRepositoryReleases(host, repository).filter(({ draft }) => draft === 0 || canWrite);
    return c.json(paginate(host, c, releases).map((release) => toReleaseJson(host, repository, release)));
  });
  rest.get('/v3/repos/:owner/:repo/releases/latest', (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    return c.json(
      toReleaseJson(
        host,
        repository,
        getPublished(repository, ({ prerelease }) => prerelease === 0),
      ),
    );
  });
  rest.get('/v3/repos/:owner/:repo/releases/tags/:tag{.+}', (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    return c.json(
      toReleaseJson(
        host,
        repository,
        getPublished(repository, ({ tagName }) => tagName === getPathParam(c, 'tag')),
      ),
    );
  });
  rest.get('/v3/repos/:owner/:repo/releases/:release_id', (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    return c.json(toReleaseJson(host, repository, getRequestedRelease(host, c, repository)));
  });
  writeRoutes(rest, host);
}

function writeRoutes(rest: RestApi, host: Host): void {
  rest.post('/v3/repos/:owner/:repo/releases', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const {
      tag_name: tagName,
      target_commitish: target = repository.defaultBranch,
      name = null,
      body = null,
      draft,
      prerelease,
    } = await readBody(c, ReleaseBody, 'Release');
    const row = { tagName, target, name, body, draft: draft ? 1 : 0, prerelease: prerelease ? 1 : 0 } as const;
    const release = await host.runExclusive(repository.id, () =>
      saveRelease(host, repository, { row, sender: getSender(c) }),
    );
    c.header('Location', `${repositoryApiUrl(host, repository)}/releases/${release.id}`);
    return c.json(toReleaseJson(host, repository, release), 201);
  });

  rest.patch('/v3/repos/:owner/:repo/releases/:release_id', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const before = getRequestedRelease(host, c, repository);
    const patch = await readBody(c, ReleasePatch, 'Release');
    const row = {
      tagName: patch.tag_name ?? before.tagName,
      target: patch.target_commitish ?? before.target,
      name: patch.name === undefined ? before.name : patch.name,
      body: patch.body === undefined ? before.body : patch.body,
      draft: (patch.draft ?? before.draft === 1) ? 1 : 0,
      prerelease: (patch.prerelease ?? before.prerelease === 1) ? 1 : 0,
    } as const;
    const release = await host.runExclusive(repository.id, () =>
      saveRelease(host, repository, { row, sender: getSender(c), before }),
    );
    return c.json(toReleaseJson(host, repository, release));
  });

  rest.delete('/v3/repos/:owner/:repo/releases/:release_id', (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    host.database.run('DELETE FROM releases WHERE id = ?', getRequestedRelease(host, c, repository).id);
    return c.body(null, 204);
  });
}

function getRequestedRelease(host: Host, c: RestContext, repository: Repository): Release {
  const release = getRelease(host, getNumberParam(c, 'release_id'));
  if (release.repositoryId !== repository.id) throw notFound();
  return release;
}
