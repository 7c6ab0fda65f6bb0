import { z } from 'zod';
import { signatureOf } from '../accounts.ts';
import { commitFile } from '../commit-file.ts';
import type { FileChange } from '../commit-file.ts';
import { Failure, notFound } from '../failure.ts';
import { resolveCommit } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { isPath } from '../names.ts';
import type { Repository } from '../rows.ts';
import { gitCommitShape } from './commit-shape.ts';
import { contentShape, readContent } from './content-shape.ts';
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
    const change = fileChange(c, repository, { ...body, content: Buffer.from(body.content, 'base64') });
    const { created, commit } = await commitFile(host, repository, change);
    const written = await readContent(host, repository, { path: change.path, commit: commit.sha, ref: change.branch });
    return c.json({ content: written, commit: gitCommitShape(host, repository, commit) }, created ? 201 : 200);
  });

  rest.delete('/v3/repos/:owner/:repo/contents/:path{.+}', async (c) => {
    const repository = reach(host, c, { permission: 'contents', level: 'write' });
    // The real host takes these fields from the query as well.
    const body = DeleteBody.safeParse(c.req.query()).data ?? (await readBody(c, DeleteBody, 'Contents'));
    const { commit } = await commitFile(host, repository, fileChange(c, repository, { ...body, content: null }));
    return c.json({ content: null, commit: gitCommitShape(host, repository, commit) });
  });
}

type Body = Omit<z.infer<typeof PutBody>, 'content'> & { content: Buffer | null };

function fileChange(c: RestContext, { defaultBranch }: Repository, body: Body): FileChange {
  const by = sender(c);
  const author = signature(body.author, signatureOf(by));
  return {
    path: part(c, 'path'),
    content: body.content,
    message: body.message,
    branch: body.branch ?? defaultBranch,
    sha: body.sha,
    author,
    committer: signature(body.committer, author),
    sender: by,
  };
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
