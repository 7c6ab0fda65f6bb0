import { z } from 'zod';
import { toSignature } from '../accounts.ts';
import { commitFile } from '../commit-file.ts';
import type { FileChange } from '../commit-file.ts';
import { HttpError, notFound } from '../http-error.ts';
import { resolveCommit } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { isPath } from '../names.ts';
import type { Repository } from '../tables.ts';
import { toGitCommitJson } from './commit-json.ts';
import { respondWithContents, getFileContent } from './contents.ts';
import { resolveSignature, SignatureBody } from './git-data-routes.ts';
import { getPathParam, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

const ChangeFields = {
  message: z.string().min(1),
  branch: z.string().optional(),
  author: SignatureBody.optional(),
  committer: SignatureBody.optional(),
};
const PutBody = z.object({ ...ChangeFields, content: z.base64(), sha: z.string().optional() });
const DeleteBody = z.object({ ...ChangeFields, sha: z.string() });

export function contentRoutes(rest: RestApi, host: Host): void {
  for (const path of [
    '/v3/repos/:owner/:repo/contents',
    '/v3/repos/:owner/:repo/contents/',
    '/v3/repos/:owner/:repo/contents/:path{.+}',
  ]) {
    rest.get(path, (c) => getContents(host, c));
  }

  rest.put('/v3/repos/:owner/:repo/contents/:path{.+}', async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'contents', level: 'write' });
    const body = await readBody(c, PutBody, 'Contents');
    const change = toFileChange(c, repository, { ...body, content: Buffer.from(body.content, 'base64') });
    const { created, commit } = await commitFile(host, repository, change);
    const written = await getFileContent(host, repository, {
      path: change.path,
      commit: commit.sha,
      ref: change.branch,
    });
    return c.json({ content: written, commit: toGitCommitJson(host, repository, commit) }, created ? 201 : 200);
  });

  rest.delete('/v3/repos/:owner/:repo/contents/:path{.+}', async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'contents', level: 'write' });
    // GitHub accepts these fields in the query as well.
    const body = DeleteBody.safeParse(c.req.query()).data ?? (await readBody(c, DeleteBody, 'Contents'));
    const { commit } = await commitFile(host, repository, toFileChange(c, repository, { ...body, content: null }));
    return c.json({ content: null, commit: toGitCommitJson(host, repository, commit) });
  });
}

type ChangeBody = Omit<z.infer<typeof PutBody>, 'content'> & { content: Buffer | null };

function toFileChange(c: RestContext, { defaultBranch }: Repository, body: ChangeBody): FileChange {
  const sender = getSender(c);
  const author = resolveSignature(body.author, toSignature(sender));
  return {
    path: getPathParam(c, 'path'),
    content: body.content,
    message: body.message,
    branch: body.branch ?? defaultBranch,
    sha: body.sha,
    author,
    committer: resolveSignature(body.committer, author),
    sender,
  };
}

async function getContents(host: Host, c: RestContext): Promise<Response> {
  const repository = getAccessibleRepository(host, c, { permission: 'contents', level: 'read' });
  const path = (c.req.param('path') ?? '').replace(/^\/+|\/+$/g, '');
  const ref = c.req.query('ref') ?? repository.defaultBranch;
  const commit = await resolveCommit(host.git, host.directory(repository), ref);
  if (commit === undefined)
    throw c.req.query('ref') === undefined
      ? new HttpError(404, 'This repository is empty.')
      : new HttpError(404, `No commit found for the ref ${ref}`);
  if (path !== '' && !isPath(path)) throw notFound();
  return respondWithContents(host, repository, { c, path, commit, ref });
}
