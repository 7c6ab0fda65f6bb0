import { z } from 'zod';
import { signatureOf } from '../accounts.ts';
import { Failure, notFound } from '../failure.ts';
import { readCommit, writeCommit } from '../git/commits.ts';
import { moveRef, noSha, resolveCommit } from '../git/revisions.ts';
import { readTree, writeBlob, writeTree } from '../git/trees.ts';
import type { Host } from '../host.ts';
import { isRefName } from '../names.ts';
import { noteRefChanges } from '../note-ref-changes.ts';
import { branchSha } from '../repositories.ts';
import type { Account, Repository } from '../rows.ts';
import { gitCommitShape } from './commit-shape.ts';
import { contentShape, isPath, readContent } from './content-shape.ts';
import { signature, SignatureBody } from './git-data-routes.ts';
import { part, reach, readBody, sender } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

const Change = {
  message: z.string().min(1),
  branch: z.string().optional(),
  author: SignatureBody.optional(),
  committer: SignatureBody.optional(),
};
const PutBody = z.object({ ...Change, content: z.base64(), sha: z.string().optional() });
const DeleteBody = z.object({ ...Change, sha: z.string() });

/** Files by path, and commits of one file. */
export function contentRoutes(rest: Rest, host: Host): void {
  for (const path of [
    '/v3/repos/:owner/:repo/contents',
    '/v3/repos/:owner/:repo/contents/',
    '/v3/repos/:owner/:repo/contents/:path{.+}',
  ]) {
    rest.get(path, (c) => read(host, c));
  }

  rest.put('/v3/repos/:owner/:repo/contents/:path{.+}', async (c) => {
    const repository = reach(host, c, { permission: 'contents', level: 'write' });
    const body = await readBody(c, PutBody, 'Contents');
    const content = Buffer.from(body.content, 'base64');
    const { created, commit, path, branch } = await commitFile(host, repository, {
      ...body,
      path: part(c, 'path'),
      content,
      by: sender(c),
    });
    const written = await readContent(host, repository, { path, commit: commit.sha, ref: branch });
    return c.json({ content: written, commit: gitCommitShape(host, repository, commit) }, created ? 201 : 200);
  });

  rest.delete('/v3/repos/:owner/:repo/contents/:path{.+}', async (c) => {
    const repository = reach(host, c, { permission: 'contents', level: 'write' });
    // The real host takes these fields from the query as well.
    const body = DeleteBody.safeParse(c.req.query()).data ?? (await readBody(c, DeleteBody, 'Contents'));
    const { commit } = await commitFile(host, repository, {
      ...body,
      path: part(c, 'path'),
      content: null,
      by: sender(c),
    });
    return c.json({ content: null, commit: gitCommitShape(host, repository, commit) });
  });
}

async function read(host: Host, c: RestContext): Promise<Response> {
  const repository = reach(host, c, { permission: 'contents', level: 'read' });
  const path = (c.req.param('path') ?? '').replace(/^\/+|\/+$/g, '');
  const ref = c.req.query('ref') ?? repository.defaultBranch;
  const commit = await resolveCommit(host.git, host.directory(repository), ref);
  if (commit === undefined)
    throw c.req.query('ref') === undefined
      ? new Failure(404, 'This repository is empty.')
      : new Failure(404, `No commit found for the ref ${ref}`);
  if (path !== '' && !isPath(path)) throw notFound();
  return contentShape(host, repository, { c, path, commit, ref });
}

type FileChange = {
  path: string;
  /** Null takes the file away. */
  content: Buffer | null;
  message: string;
  by: Account;
  sha?: string | undefined;
  branch?: string | undefined;
  author?: z.infer<typeof SignatureBody> | undefined;
  committer?: z.infer<typeof SignatureBody> | undefined;
};

function commitFile(host: Host, repository: Repository, change: FileChange) {
  const { path, content, message, by, branch = repository.defaultBranch } = change;
  const directory = host.directory(repository);
  if (!isPath(path)) throw new Failure(422, 'path contains a malformed path component');
  return host.exclusively(repository.id, async () => {
    const base = branchSha(host, repository.id, branch);
    if (base === undefined && (change.branch ?? repository.defaultBranch) !== repository.defaultBranch)
      throw new Failure(404, `Branch ${branch} not found`);
    if (!isRefName(branch)) throw new Failure(404, `Branch ${branch} not found`);
    const [before] = base === undefined ? [] : await readTree(host.git, directory, { treeish: base, path });
    if (content === null && before === undefined) throw notFound();
    mustMatch(path, change.sha, before?.sha);

    const blob = content === null ? null : await writeBlob(host.git, directory, content);
    const mode = before?.type === 'blob' ? before.mode : '100644';
    const tree = await writeTree(host.git, directory, {
      changes: [{ path, mode, sha: blob }],
      ...(base === undefined ? {} : { base }),
    });
    if (tree === undefined) throw new Failure(422, 'path contains a malformed path component');
    const author = signature(change.author, signatureOf(by));
    const sha = await writeCommit(host.git, directory, {
      tree,
      parents: base === undefined ? [] : [base],
      message,
      author,
      committer: signature(change.committer, author),
    });
    const moved = await moveRef(host.git, directory, { ref: `refs/heads/${branch}`, from: base ?? noSha, to: sha });
    if (!moved) throw new Failure(409, `${branch} is not at ${base ?? noSha} any more`);
    await noteRefChanges(host, repository.id, by);
    return { created: before === undefined, commit: await readCommit(host.git, directory, sha), path, branch };
  });
}

function mustMatch(path: string, given: string | undefined, found: string | undefined): void {
  if (found !== undefined && given === undefined) throw new Failure(422, `Invalid request.\n\n"sha" wasn't supplied.`);
  if (given !== undefined && given !== found) throw new Failure(409, `${path} does not match ${given}`);
}
