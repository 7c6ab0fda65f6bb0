import { notFound } from '../failure.ts';
import { readBlob, readTree } from '../git/trees.ts';
import type { TreeEntry } from '../git/trees.ts';
import type { Host } from '../host.ts';
import { repositoryApiUrl, repositoryUrl } from '../repositories.ts';
import type { Repository } from '../rows.ts';
import { wants } from './requests.ts';
import type { RestContext } from './requests.ts';

type Place = { path: string; commit: string; ref: string };

/** A file, or the list of what a folder holds. */
export async function contentShape(
  host: Host,
  repository: Repository,
  { c, ...place }: Place & { c: RestContext },
): Promise<Response> {
  const { path, commit } = place;
  const directory = host.directory(repository);
  const entry = path === '' ? undefined : await entryAt(host, repository, place);
  if (path !== '' && entry === undefined) throw notFound();
  if (entry === undefined || entry.type === 'tree') {
    const entries = await readTree(host.git, directory, { treeish: entry?.sha ?? commit });
    return c.json(
      entries.map((one) =>
        entryShape(host, repository, {
          place,
          entry: { ...one, path: path === '' ? one.path : `${path}/${one.path}` },
        }),
      ),
    );
  }
  if (wants(c, 'raw') && entry.type === 'blob')
    return c.body(new Uint8Array(await readBlob(host.git, directory, entry.sha)), 200, {
      'Content-Type': 'application/vnd.github.raw; charset=utf-8',
    });
  return c.json(await withContent(host, repository, { place, entry }));
}

/** One file with its content. */
export async function readContent(host: Host, repository: Repository, place: Place) {
  const entry = await entryAt(host, repository, place);
  if (entry === undefined) throw notFound();
  return withContent(host, repository, { place, entry });
}

async function entryAt(host: Host, repository: Repository, { path, commit }: Place): Promise<TreeEntry | undefined> {
  const [entry] = await readTree(host.git, host.directory(repository), { treeish: commit, path });
  return entry;
}

async function withContent(host: Host, repository: Repository, { place, entry }: { place: Place; entry: TreeEntry }) {
  const shape = entryShape(host, repository, { place, entry });
  if (entry.type !== 'blob') return shape;
  const content = await readBlob(host.git, host.directory(repository), entry.sha);
  if (shape.type === 'symlink') return { ...shape, target: content.toString() };
  // In lines of 60, as the real host sends it.
  return { ...shape, encoding: 'base64', content: content.toString('base64').replace(/.{1,60}/g, '$&\n') };
}

function entryShape(host: Host, repository: Repository, { place, entry }: { place: Place; entry: TreeEntry }) {
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
  const self = `${api}/contents/${encoded}?ref=${encodeURIComponent(place.ref)}`;
  const git = `${api}/git/${isFile ? 'blobs' : 'trees'}/${entry.sha}`;
  const page = `${html}/${isFile ? 'blob' : 'tree'}/${place.ref}/${encoded}`;
  return {
    name: entry.path.split('/').at(-1),
    path: entry.path,
    sha: entry.sha,
    size: entry.size ?? 0,
    url: self,
    html_url: page,
    git_url: git,
    download_url: isFile ? `${html}/raw/${place.ref}/${encoded}` : null,
    type,
    _links: { self, git, html: page },
  };
}
