import { z } from 'zod';
import { HttpError, notFound } from '../http-error.ts';
import { isAncestor, updateRef, zeroSha, findObjectType } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { isRefName, isSha } from '../names.ts';
import { runPostReceive } from '../post-receive.ts';
import { findRefSha, repositoryApiUrl } from '../repositories.ts';
import type { Account, Repository } from '../tables.ts';
import { getPathParam, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

const NewRef = z.object({ ref: z.string(), sha: z.string() });
const RefPatch = z.object({ sha: z.string(), force: z.boolean().default(false) });
const writeAccess = { permission: 'contents', level: 'write' } as const;
const readAccess = { permission: 'contents', level: 'read' } as const;

const refNotFound = (): HttpError => new HttpError(422, 'Reference does not exist');

export function refRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/git/ref/:ref{.+}', async (c) => {
    const repository = getAccessibleRepository(host, c, readAccess);
    const ref = `refs/${getPathParam(c, 'ref')}`;
    const sha = findRefSha(host, repository.id, ref);
    if (sha === undefined) throw notFound();
    return c.json(await toRefJson(host, repository, { name: ref, sha }));
  });
  rest.get('/v3/repos/:owner/:repo/git/matching-refs/:ref{.+}', (c) =>
    listMatchingRefs(host, c, `refs/${getPathParam(c, 'ref')}`),
  );
  rest.get('/v3/repos/:owner/:repo/git/refs', (c) => listMatchingRefs(host, c, 'refs/'));
  rest.get('/v3/repos/:owner/:repo/git/refs/:ref{.+}', (c) =>
    listMatchingRefs(host, c, `refs/${getPathParam(c, 'ref')}`),
  );

  rest.post('/v3/repos/:owner/:repo/git/refs', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const { ref, sha } = await readBody(c, NewRef, 'Reference');
    if (!/^refs\/(heads|tags)\/./.test(ref) || !isRefName(ref))
      throw new HttpError(422, `${ref} is not a valid ref name.`);
    if (findRefSha(host, repository.id, ref) !== undefined) throw new HttpError(422, 'Reference already exists');
    if (!isSha(sha) || !(await canPointTo(host, repository, { ref, sha })))
      throw new HttpError(422, 'Object does not exist');
    await applyRefUpdate(host, repository, {
      ref,
      from: zeroSha,
      to: sha,
      sender: getSender(c),
      conflictMessage: 'Reference already exists',
    });
    return c.json(await toRefJson(host, repository, { name: ref, sha }), 201);
  });

  rest.patch('/v3/repos/:owner/:repo/git/refs/:ref{.+}', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const { sha, force } = await readBody(c, RefPatch, 'Reference');
    const ref = `refs/${getPathParam(c, 'ref')}`;
    const from = findRefSha(host, repository.id, ref);
    if (from === undefined) throw refNotFound();
    if (!isSha(sha) || !(await canPointTo(host, repository, { ref, sha })))
      throw new HttpError(422, 'Object does not exist');
    const forward = await isAncestor(host.git, host.directory(repository), { ancestor: from, descendant: sha });
    if (!force && !forward) throw new HttpError(422, 'Update is not a fast forward');
    await applyRefUpdate(host, repository, {
      ref,
      from,
      to: sha,
      sender: getSender(c),
      conflictMessage: 'Update is not a fast forward',
    });
    return c.json(await toRefJson(host, repository, { name: ref, sha }));
  });

  rest.delete('/v3/repos/:owner/:repo/git/refs/:ref{.+}', async (c) => {
    const repository = getAccessibleRepository(host, c, writeAccess);
    const ref = `refs/${getPathParam(c, 'ref')}`;
    const from = findRefSha(host, repository.id, ref);
    if (from === undefined) throw refNotFound();
    if (ref === `refs/heads/${repository.defaultBranch}`) throw new HttpError(422, 'Cannot delete the default branch');
    await applyRefUpdate(host, repository, {
      ref,
      from,
      sender: getSender(c),
      conflictMessage: 'Reference does not exist',
    });
    return c.body(null, 204);
  });
}

/** A branch can only point to a commit. */
async function canPointTo(
  host: Host,
  repository: Repository,
  { ref, sha }: { ref: string; sha: string },
): Promise<boolean> {
  const type = await findObjectType(host.git, host.directory(repository), sha);
  return type === 'commit' || (type !== undefined && ref.startsWith('refs/tags/'));
}

type RefUpdate = { ref: string; from: string; to?: string; sender: Account; conflictMessage: string };

async function applyRefUpdate(
  host: Host,
  repository: Repository,
  { sender, conflictMessage, ...update }: RefUpdate,
): Promise<void> {
  await host.runExclusive(repository.id, async () => {
    if (!(await updateRef(host.git, host.directory(repository), update))) throw new HttpError(422, conflictMessage);
    await runPostReceive(host, repository.id, sender);
  });
}

async function listMatchingRefs(host: Host, c: RestContext, prefix: string): Promise<Response> {
  const repository = getAccessibleRepository(host, c, readAccess);
  const sql = 'SELECT name, sha FROM refs WHERE repositoryId = ? AND substr(name, 1, ?) = ? ORDER BY name';
  const rows = host.database.all<{ name: string; sha: string }>(sql, repository.id, prefix.length, prefix);
  return c.json(await Promise.all(rows.map((row) => toRefJson(host, repository, row))));
}

async function toRefJson(host: Host, repository: Repository, { name, sha }: { name: string; sha: string }) {
  const api = repositoryApiUrl(host, repository);
  const type = (await findObjectType(host.git, host.directory(repository), sha)) ?? 'commit';
  return {
    ref: name,
    node_id: Buffer.from(`ref:${repository.id}:${name}`).toString('base64url'),
    url: `${api}/git/${name}`,
    object: { sha, type, url: `${api}/git/${type}s/${sha}` },
  };
}
