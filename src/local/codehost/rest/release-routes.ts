import { z } from 'zod';
import { accountById, accountShape } from '../accounts.ts';
import { Failure, notFound, unprocessable } from '../failure.ts';
import { moveRef, noSha, resolveCommit } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { isRefName } from '../names.ts';
import { noteRefChanges } from '../note-ref-changes.ts';
import { refSha, repositoryApiUrl, repositoryUrl } from '../repositories.ts';
import type { Account, Release, Repository } from '../rows.ts';
import { hostTime } from '../times.ts';
import { announce } from '../webhooks.ts';
import { numberPart, paginate, part, reach, readBody, sender } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

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

const read = { permission: 'contents', level: 'read' } as const;
const write = { permission: 'contents', level: 'write' } as const;

export function releaseRoutes(rest: Rest, host: Host): void {
  const published = (repository: Repository, where: (release: Release) => boolean): Release => {
    const release = releasesOf(host, repository).find((one) => one.draft === 0 && where(one));
    if (release === undefined) throw notFound();
    return release;
  };
  rest.get('/v3/repos/:owner/:repo/releases', (c) => {
    const repository = reach(host, c, read);
    // Drafts are for who may write.
    const caller = c.get('caller');
    const writer =
      caller.kind === 'user' || (caller.kind === 'installation' && caller.permissions['contents'] === 'write');
    const releases = releasesOf(host, repository).filter(({ draft }) => draft === 0 || writer);
    return c.json(paginate(host, c, releases).map((release) => releaseShape(host, repository, release)));
  });
  rest.get('/v3/repos/:owner/:repo/releases/latest', (c) => {
    const repository = reach(host, c, read);
    return c.json(
      releaseShape(
        host,
        repository,
        published(repository, ({ prerelease }) => prerelease === 0),
      ),
    );
  });
  rest.get('/v3/repos/:owner/:repo/releases/tags/:tag{.+}', (c) => {
    const repository = reach(host, c, read);
    return c.json(
      releaseShape(
        host,
        repository,
        published(repository, ({ tagName }) => tagName === part(c, 'tag')),
      ),
    );
  });
  rest.get('/v3/repos/:owner/:repo/releases/:release_id', (c) => {
    const repository = reach(host, c, read);
    return c.json(releaseShape(host, repository, inPath(host, c, repository)));
  });
  writeRoutes(rest, host);
}

function writeRoutes(rest: Rest, host: Host): void {
  rest.post('/v3/repos/:owner/:repo/releases', async (c) => {
    const repository = reach(host, c, write);
    const {
      tag_name: tagName,
      target_commitish: target = repository.defaultBranch,
      name = null,
      body = null,
      draft,
      prerelease,
    } = await readBody(c, ReleaseBody, 'Release');
    const row = { tagName, target, name, body, draft: draft ? 1 : 0, prerelease: prerelease ? 1 : 0 } as const;
    const release = await host.exclusively(repository.id, () => save(host, repository, { row, by: sender(c) }));
    c.header('Location', `${repositoryApiUrl(host, repository)}/releases/${release.id}`);
    return c.json(releaseShape(host, repository, release), 201);
  });

  rest.patch('/v3/repos/:owner/:repo/releases/:release_id', async (c) => {
    const repository = reach(host, c, write);
    const before = inPath(host, c, repository);
    const patch = await readBody(c, ReleasePatch, 'Release');
    const row = {
      tagName: patch.tag_name ?? before.tagName,
      target: patch.target_commitish ?? before.target,
      name: patch.name === undefined ? before.name : patch.name,
      body: patch.body === undefined ? before.body : patch.body,
      draft: (patch.draft ?? before.draft === 1) ? 1 : 0,
      prerelease: (patch.prerelease ?? before.prerelease === 1) ? 1 : 0,
    } as const;
    const release = await host.exclusively(repository.id, () => save(host, repository, { row, by: sender(c), before }));
    return c.json(releaseShape(host, repository, release));
  });

  rest.delete('/v3/repos/:owner/:repo/releases/:release_id', (c) => {
    const repository = reach(host, c, write);
    host.database.run('DELETE FROM releases WHERE id = ?', inPath(host, c, repository).id);
    return c.body(null, 204);
  });
}

type Row = Pick<Release, 'tagName' | 'target' | 'name' | 'body' | 'draft' | 'prerelease'>;
type Save = { row: Row; by: Account; before?: Release };

/** A published release has its tag: made here, at the target, when there is none. */
async function save(host: Host, repository: Repository, { row, by, before }: Save): Promise<Release> {
  const { database } = host;
  const taken = releasesOf(host, repository).find(
    ({ id, tagName, draft }) => draft === 0 && tagName === row.tagName && id !== before?.id,
  );
  if (taken !== undefined && row.draft === 0)
    throw unprocessable({ resource: 'Release', code: 'already_exists', field: 'tag_name' });
  if (row.draft === 0) await ensureTag(host, repository, { row, by });
  const publishes = row.draft === 0 && (before === undefined || before.draft === 1);

  return database.transaction(() => {
    const times = publishes ? { publishedAt: hostTime() } : {};
    const id =
      before?.id ??
      database.insert('releases', {
        repositoryId: repository.id,
        authorId: by.id,
        createdAt: hostTime(),
        ...row,
        ...times,
      });
    if (before !== undefined) database.update('releases', id, { ...row, ...times });
    const release = releaseById(host, id);
    if (publishes)
      announce(host, {
        event: 'release',
        action: 'published',
        repository,
        sender: by,
        payload: { release: releaseShape(host, repository, release) },
      });
    return release;
  });
}

async function ensureTag(host: Host, repository: Repository, { row, by }: { row: Row; by: Account }): Promise<void> {
  const ref = `refs/tags/${row.tagName}`;
  if (!isRefName(row.tagName))
    throw unprocessable({
      resource: 'Release',
      code: 'invalid',
      field: 'tag_name',
      message: 'tag_name is not a valid tag',
    });
  if (refSha(host, repository.id, ref) !== undefined) return;
  const commit = await resolveCommit(host.git, host.directory(repository), row.target);
  if (commit === undefined) throw unprocessable({ resource: 'Release', code: 'invalid', field: 'target_commitish' });
  const made = await moveRef(host.git, host.directory(repository), { ref, from: noSha, to: commit });
  if (!made)
    throw new Failure(422, 'Validation Failed', [
      { resource: 'Release', code: 'custom', field: 'tag_name', message: 'The tag could not be created.' },
    ]);
  await noteRefChanges(host, repository.id, by);
}

const releasesOf = ({ database }: Host, { id }: Repository): Release[] =>
  database.all<Release>('SELECT * FROM releases WHERE repositoryId = ? ORDER BY id DESC', id);

function releaseById({ database }: Host, id: number): Release {
  const release = database.one<Release>('SELECT * FROM releases WHERE id = ?', id);
  if (release === undefined) throw notFound();
  return release;
}

function inPath(host: Host, c: RestContext, repository: Repository): Release {
  const release = releaseById(host, numberPart(c, 'release_id'));
  if (release.repositoryId !== repository.id) throw notFound();
  return release;
}

function releaseShape(host: Host, repository: Repository, release: Release) {
  const api = repositoryApiUrl(host, repository);
  const html = repositoryUrl(host, repository);
  const url = `${api}/releases/${release.id}`;
  return {
    url,
    assets_url: `${url}/assets`,
    upload_url: `${host.url}/api/uploads/repos/${repository.owner}/${repository.name}/releases/${release.id}/assets{?name,label}`,
    html_url: `${html}/releases/tag/${release.tagName}`,
    id: release.id,
    author: accountShape(host, accountById(host, release.authorId)),
    node_id: Buffer.from(`release:${release.id}`).toString('base64url'),
    tag_name: release.tagName,
    target_commitish: release.target,
    name: release.name,
    draft: release.draft === 1,
    immutable: false,
    prerelease: release.prerelease === 1,
    created_at: release.createdAt,
    updated_at: release.createdAt,
    published_at: release.publishedAt,
    assets: [],
    tarball_url: `${api}/tarball/${release.tagName}`,
    zipball_url: `${api}/zipball/${release.tagName}`,
    body: release.body,
  };
}
