import { getAccount, toAccountJson } from './accounts.ts';
import { formatTimestamp } from './format-timestamp.ts';
import { resolveCommit, updateRef, zeroSha } from './git/revisions.ts';
import type { Host } from './host.ts';
import { HttpError, notFound, unprocessable } from './http-error.ts';
import { isRefName } from './names.ts';
import { runPostReceive } from './post-receive.ts';
import { findRefSha, repositoryApiUrl, repositoryUrl } from './repositories.ts';
import type { Account, Release, Repository } from './tables.ts';
import { emitWebhook } from './webhooks.ts';

type ReleaseFields = Pick<Release, 'tagName' | 'target' | 'name' | 'body' | 'draft' | 'prerelease'>;
type ReleaseUpdate = { row: ReleaseFields; sender: Account; before?: Release };

/** Publishing creates the tag at the target if it does not exist. */
export async function saveRelease(
  host: Host,
  repository: Repository,
  { row, sender, before }: ReleaseUpdate,
): Promise<Release> {
  const { database } = host;
  const taken = listRepositoryReleases(host, repository).find(
    ({ id, tagName, draft }) => draft === 0 && tagName === row.tagName && id !== before?.id,
  );
  if (taken !== undefined && row.draft === 0)
    throw unprocessable({ resource: 'Release', code: 'already_exists', field: 'tag_name' });
  if (row.draft === 0) await ensureTag(host, repository, { row, sender });
  const publishes = row.draft === 0 && (before === undefined || before.draft === 1);

  return database.transaction(() => {
    const times = publishes ? { publishedAt: formatTimestamp() } : {};
    const id =
      before?.id ??
      database.insert('releases', {
        repositoryId: repository.id,
        authorId: sender.id,
        createdAt: formatTimestamp(),
        ...row,
        ...times,
      });
    if (before !== undefined) database.update('releases', id, { ...row, ...times });
    const release = getRelease(host, id);
    if (publishes)
      emitWebhook(host, {
        event: 'release',
        action: 'published',
        repository,
        sender,
        payload: { release: toReleaseJson(host, repository, release) },
      });
    return release;
  });
}

async function ensureTag(
  host: Host,
  repository: Repository,
  { row, sender }: { row: ReleaseFields; sender: Account },
): Promise<void> {
  const ref = `refs/tags/${row.tagName}`;
  if (!isRefName(row.tagName))
    throw unprocessable({
      resource: 'Release',
      code: 'invalid',
      field: 'tag_name',
      message: 'tag_name is not a valid tag',
    });
  if (findRefSha(host, repository.id, ref) !== undefined) return;
  const commit = await resolveCommit(host.git, host.directory(repository), row.target);
  if (commit === undefined) throw unprocessable({ resource: 'Release', code: 'invalid', field: 'target_commitish' });
  const created = await updateRef(host.git, host.directory(repository), { ref, from: zeroSha, to: commit });
  if (!created)
    throw new HttpError(422, 'Validation Failed', [
      { resource: 'Release', code: 'custom', field: 'tag_name', message: 'The tag could not be created.' },
    ]);
  await runPostReceive(host, repository.id, sender);
}

export const listRepositoryReleases = ({ database }: Host, { id }: Repository): Release[] =>
  database.all<Release>('SELECT * FROM releases WHERE repositoryId = ? ORDER BY id DESC', id);

export function getRelease({ database }: Host, id: number): Release {
  const release = database.get<Release>('SELECT * FROM releases WHERE id = ?', id);
  if (release === undefined) throw notFound();
  return release;
}

export function toReleaseJson(host: Host, repository: Repository, release: Release) {
  const api = repositoryApiUrl(host, repository);
  const html = repositoryUrl(host, repository);
  const url = `${api}/releases/${release.id}`;
  return {
    url,
    assets_url: `${url}/assets`,
    upload_url: `${host.url}/api/uploads/repos/${repository.owner}/${repository.name}/releases/${release.id}/assets{?name,label}`,
    html_url: `${html}/releases/tag/${release.tagName}`,
    id: release.id,
    author: toAccountJson(host, getAccount(host, release.authorId)),
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
