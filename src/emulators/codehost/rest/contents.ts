import { notFound } from '../http-error.ts';
import { readBlob, readTree } from '../git/trees.ts';
import type { TreeEntry } from '../git/trees.ts';
import type { Host } from '../host.ts';
import { repositoryApiUrl, repositoryUrl } from '../repositories.ts';
import type { Repository } from '../tables.ts';
import { acceptsFormat } from './requests.ts';
import type { RestContext } from './requests.ts';

type ContentLocation = { path: string; commit: string; ref: string };

/** Responds with a file, or with the entries of a folder. */
export async function respondWithContents(
  host: Host,
  repository: Repository,
  { c, ...location }: ContentLocation & { c: RestContext },
): Promise<Response> {
  const { path, commit } = location;
  const directory = host.directory(repository);
  const entry = path === '' ? undefined : await findEntry(host, repository, location);
  if (path !== '' && entry === undefined) throw notFound();
  if (entry === undefined || entry.type === 'tree') {
    const entries = await readTree(host.git, directory, { treeish: entry?.sha ?? commit });
    return c.json(
      entries.map((one) =>
        toEntryJson(host, repository, {
          location,
          entry: { ...one, path: path === '' ? one.path : `${path}/${one.path}` },
        }),
      ),
    );
  }
  if (acceptsFormat(c, 'raw') && entry.type === 'blob')
    return c.body(new Uint8Array(await readBlob(host.git, directory, entry.sha)), 200, {
      'Content-Type': 'application/vnd.github.raw; charset=utf-8',
    });
  return c.json(await toContentJson(host, repository, { location, entry }));
}

export async function getFileContent(host: Host, repository: Repository, location: ContentLocation) {
  const entry = await findEntry(host, repository, location);
  if (entry === undefined) throw notFound();
  return toContentJson(host, repository, { location, entry });
}

async function findEntry(
  host: Host,
  repository: Repository,
  { path, commit }: ContentLocation,
): Promise<TreeEntry | undefined> {
  const [entry] = await readTree(host.git, host.directory(repository), { treeish: commit, path });
  return entry;
}

async function toContentJson(
  host: Host,
  repository: Repository,
  { location, entry }: { location: ContentLocation; entry: TreeEntry },
) {
  const shape = toEntryJson(host, repository, { location, entry });
  if (entry.type !== 'blob') return shape;
  const content = await readBlob(host.git, host.directory(repository), entry.sha);
  if (shape.type === 'symlink') return { ...shape, target: content.toString() };
  // GitHub breaks the content into lines of 60 characters.
  return { ...shape, encoding: 'base64', content: content.toString('base64').replace(/.{1,60}/g, '$&\n') };
}

function toEntryJson(
  host: Host,
  repository: Repository,
  { location, entry }: { location: ContentLocation; entry: TreeEntry },
) {
  const encoded = entry.path.split('/').map(encodeURIComponent).join('/');
  const api = repositoryApiUrl(host, repository);
  const html = repositoryUrl(host, repository);
  const isFile = entry.type === 'blob';
  const type =
    entry.type === 'tree'
      ? 'dir'
      : entry.type === 'commit'
        ? 'submodule'
        : entry.mode === '120000'
          ? 'symlink'
          : 'file';
  const self = `${api}/contents/${encoded}?ref=${encodeURIComponent(location.ref)}`;
  const git = `${api}/git/${isFile ? 'blobs' : 'trees'}/${entry.sha}`;
  const page = `${html}/${isFile ? 'blob' : 'tree'}/${location.ref}/${encoded}`;
  return {
    name: entry.path.split('/').at(-1),
    path: entry.path,
    sha: entry.sha,
    size: entry.size ?? 0,
    url: self,
    html_url: page,
    git_url: git,
    download_url: isFile ? `${html}/raw/${location.ref}/${encoded}` : null,
    type,
    _links: { self, git, html: page },
  };
}
