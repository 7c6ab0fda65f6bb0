import { z } from 'zod';
import { toSignature } from '../accounts.ts';
import { HttpError, notFound, unprocessable } from '../http-error.ts';
import { readCommit, writeCommit } from '../git/commits.ts';
import type { Signature } from '../git/commits.ts';
import { findObjectType, resolveCommit } from '../git/revisions.ts';
import { readBlob, readTree, writeBlob, writeTree } from '../git/trees.ts';
import type { TreeChange } from '../git/trees.ts';
import type { Host } from '../host.ts';
import { repositoryApiUrl } from '../repositories.ts';
import type { Repository } from '../tables.ts';
import { formatTimestamp } from '../format-timestamp.ts';
import { toGitCommitJson } from './commit-json.ts';
import { getPathParam, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi } from './requests.ts';
import { tagObjectRoutes } from './tag-object-routes.ts';

export const SignatureBody = z.object({
  name: z.string().min(1),
  email: z.string().min(1),
  date: z.iso.datetime({ offset: true }).optional(),
});
const CommitBody = z.object({
  message: z.string(),
  tree: z.string(),
  parents: z.array(z.string()).default([]),
  author: SignatureBody.optional(),
  committer: SignatureBody.optional(),
});
const BlobBody = z.object({ content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') });
const TreeBody = z.object({
  base_tree: z.string().optional(),
  tree: z.array(
    z.object({
      path: z.string().min(1),
      mode: z.enum(['100644', '100755', '040000', '160000', '120000']).default('100644'),
      type: z.enum(['blob', 'tree', 'commit']).optional(),
      sha: z.string().nullish(),
      content: z.string().optional(),
    }),
  ),
});

const writeAccess = { permission: 'contents', level: 'write' } as const;
const readAccess = { permission: 'contents', level: 'read' } as const;

export function resolveSignature(body: z.infer<typeof SignatureBody> | undefined, fallback: Signature): Signature {
  return body === undefined ? fallback : { name: body.name, email: body.email, date: formatTimestamp(body.date) };
}

/** These routes create single git objects, for commits of several files. */
export function gitDataRoutes(rest: RestApi, host: Host): void {
  commitObjectRoutes(rest, host);
  treeObjectRoutes(rest, host);
  blobObjectRoutes(rest, host);
  tagObjectRoutes(rest, host);
}

function commitObjectRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/git/commits/:sha', async (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    const directory = host.directory(repository);
    const sha = getPathParam(c, 'sha');
    if ((await findObjectType(host.git, directory, sha)) !== 'commit') throw notFound();
    return c.json(toGitCommitJson(host, repository, await readCommit(host.git, directory, sha)));
  });

  rest.post('/v3/repos/:owner/:repo/git/commits', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const directory = host.directory(repository);
    const body = await readBody(c, CommitBody, 'Commit');
    if ((await findObjectType(host.git, directory, body.tree)) !== 'tree')
      throw new HttpError(422, 'Tree SHA does not exist');
    for (const parent of body.parents) {
      if ((await findObjectType(host.git, directory, parent)) !== 'commit')
        throw new HttpError(422, 'Parent SHA does not exist or is not a commit object');
    }
    const author = resolveSignature(body.author, toSignature(getSender(c)));
    const { tree, parents, message } = body;
    const sha = await writeCommit(host.git, directory, {
      tree,
      parents,
      message,
      author,
      committer: resolveSignature(body.committer, author),
    });
    return c.json(toGitCommitJson(host, repository, await readCommit(host.git, directory, sha)), 201);
  });
}

function treeObjectRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/git/trees/:sha{.+}', async (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    const directory = host.directory(repository);
    const name = getPathParam(c, 'sha');
    const treeish =
      (await findObjectType(host.git, directory, name)) === 'tree'
        ? name
        : await resolveCommit(host.git, directory, name);
    if (treeish === undefined) throw notFound();
    const sha = await host.git.text(directory, ['rev-parse', '--verify', `${treeish}^{tree}`]);
    return c.json(await toTreeJson(host, repository, { sha, recursive: c.req.query('recursive') !== undefined }));
  });

  rest.post('/v3/repos/:owner/:repo/git/trees', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const directory = host.directory(repository);
    const { base_tree: base, tree } = await readBody(c, TreeBody, 'Tree');
    const changes: TreeChange[] = [];
    for (const { path, mode, sha, content } of tree) {
      if (content !== undefined) changes.push({ path, mode, sha: await writeBlob(host.git, directory, content) });
      else if (sha === undefined)
        throw unprocessable({
          resource: 'Tree',
          field: 'tree',
          code: 'missing_field',
          message: `${path} needs a sha or content.`,
        });
      else changes.push({ path, mode, sha: sha === null ? null : await assertObjectExists(sha, directory) });
    }
    const baseTree = base === undefined ? undefined : await resolveTree(base, directory);
    const sha = await writeTree(host.git, directory, {
      changes,
      ...(baseTree === undefined ? {} : { base: baseTree }),
    });
    if (sha === undefined) throw new HttpError(422, 'GitRPC::BadObjectState');
    return c.json(await toTreeJson(host, repository, { sha, recursive: false }), 201);
  });

  async function assertObjectExists(sha: string, directory: string): Promise<string> {
    if ((await findObjectType(host.git, directory, sha)) === undefined)
      throw new HttpError(422, `tree.sha ${sha} is not a valid blob`);
    return sha;
  }

  async function resolveTree(sha: string, directory: string): Promise<string> {
    const type = await findObjectType(host.git, directory, sha);
    if (type !== 'tree' && type !== 'commit') throw new HttpError(422, 'base_tree is not a valid tree oid');
    return host.git.text(directory, ['rev-parse', '--verify', `${sha}^{tree}`]);
  }
}

async function toTreeJson(host: Host, repository: Repository, { sha, recursive }: { sha: string; recursive: boolean }) {
  const api = repositoryApiUrl(host, repository);
  const entries = await readTree(host.git, host.directory(repository), { treeish: sha, recursive });
  const toUrl = (entry: { type: string; sha: string }) =>
    entry.type === 'commit' ? {} : { url: `${api}/git/${entry.type}s/${entry.sha}` };
  return {
    sha,
    url: `${api}/git/trees/${sha}`,
    tree: entries.map((entry) => ({ ...entry, ...toUrl(entry) })),
    truncated: false,
  };
}

function blobObjectRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/git/blobs/:sha', async (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    const directory = host.directory(repository);
    const sha = getPathParam(c, 'sha');
    if ((await findObjectType(host.git, directory, sha)) !== 'blob') throw notFound();
    const content = await readBlob(host.git, directory, sha);
    const url = `${repositoryApiUrl(host, repository)}/git/blobs/${sha}`;
    return c.json({
      sha,
      node_id: Buffer.from(`blob:${sha}`).toString('base64url'),
      size: content.length,
      url,
      content: content.toString('base64'),
      encoding: 'base64',
    });
  });

  rest.post('/v3/repos/:owner/:repo/git/blobs', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const { content, encoding } = await readBody(c, BlobBody, 'Blob');
    const sha = await writeBlob(
      host.git,
      host.directory(repository),
      Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'),
    );
    return c.json({ sha, url: `${repositoryApiUrl(host, repository)}/git/blobs/${sha}` }, 201);
  });
}
