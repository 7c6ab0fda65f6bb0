import { z } from 'zod';
import { Failure, notFound } from '../failure.ts';
import { isAncestor, moveRef, noSha, objectType } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { isRefName, isSha } from '../names.ts';
import { noteRefChanges } from '../note-ref-changes.ts';
import { refSha, repositoryApiUrl } from '../repositories.ts';
import type { Account, Repository } from '../rows.ts';
import { part, reach, readBody, sender } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

const NewRef = z.object({ ref: z.string(), sha: z.string() });
const RefPatch = z.object({ sha: z.string(), force: z.boolean().default(false) });
const write = { permission: 'contents', level: 'write' } as const;
const read = { permission: 'contents', level: 'read' } as const;

const doesNotExist = (): Failure => new Failure(422, 'Reference does not exist');

export function refRoutes(rest: Rest, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/git/ref/:ref{.+}', async (c) => {
    const repository = reach(host, c, read);
    const ref = `refs/${part(c, 'ref')}`;
    const sha = refSha(host, repository.id, ref);
    if (sha === undefined) throw notFound();
    return c.json(await refShape(host, repository, { name: ref, sha }));
  });
  rest.get('/v3/repos/:owner/:repo/git/matching-refs/:ref{.+}', (c) => matching(host, c, `refs/${part(c, 'ref')}`));
  rest.get('/v3/repos/:owner/:repo/git/refs', (c) => matching(host, c, 'refs/'));
  rest.get('/v3/repos/:owner/:repo/git/refs/:ref{.+}', (c) => matching(host, c, `refs/${part(c, 'ref')}`));

  rest.post('/v3/repos/:owner/:repo/git/refs', async (c) => {
    const repository = reach(host, c, write);
    const { ref, sha } = await readBody(c, NewRef, 'Reference');
    if (!/^refs\/(heads|tags)\/./.test(ref) || !isRefName(ref))
      throw new Failure(422, `${ref} is not a valid ref name.`);
    if (refSha(host, repository.id, ref) !== undefined) throw new Failure(422, 'Reference already exists');
    if (!isSha(sha) || !(await pointable(host, repository, { ref, sha })))
      throw new Failure(422, 'Object does not exist');
    await move(host, repository, { ref, from: noSha, to: sha, by: sender(c), raced: 'Reference already exists' });
    return c.json(await refShape(host, repository, { name: ref, sha }), 201);
  });

  rest.patch('/v3/repos/:owner/:repo/git/refs/:ref{.+}', async (c) => {
    const repository = reach(host, c, write);
    const { sha, force } = await readBody(c, RefPatch, 'Reference');
    const ref = `refs/${part(c, 'ref')}`;
    const from = refSha(host, repository.id, ref);
    if (from === undefined) throw doesNotExist();
    if (!isSha(sha) || !(await pointable(host, repository, { ref, sha })))
      throw new Failure(422, 'Object does not exist');
    const forward = await isAncestor(host.git, host.directory(repository), { ancestor: from, of: sha });
    if (!force && !forward) throw new Failure(422, 'Update is not a fast forward');
    await move(host, repository, { ref, from, to: sha, by: sender(c), raced: 'Update is not a fast forward' });
    return c.json(await refShape(host, repository, { name: ref, sha }));
  });

  rest.delete('/v3/repos/:owner/:repo/git/refs/:ref{.+}', async (c) => {
    const repository = reach(host, c, write);
    const ref = `refs/${part(c, 'ref')}`;
    const from = refSha(host, repository.id, ref);
    if (from === undefined) throw doesNotExist();
    if (ref === `refs/heads/${repository.defaultBranch}`) throw new Failure(422, 'Cannot delete the default branch');
    await move(host, repository, { ref, from, by: sender(c), raced: 'Reference does not exist' });
    return c.body(null, 204);
  });
}

/** A branch holds commits alone. */
async function pointable(
  host: Host,
  repository: Repository,
  { ref, sha }: { ref: string; sha: string },
): Promise<boolean> {
  const type = await objectType(host.git, host.directory(repository), sha);
  return type === 'commit' || (type !== undefined && ref.startsWith('refs/tags/'));
}

type Move = { ref: string; from: string; to?: string; by: Account; raced: string };

async function move(host: Host, repository: Repository, { by, raced, ...to }: Move): Promise<void> {
  await host.exclusively(repository.id, async () => {
    if (!(await moveRef(host.git, host.directory(repository), to))) throw new Failure(422, raced);
    await noteRefChanges(host, repository.id, by);
  });
}

async function matching(host: Host, c: RestContext, prefix: string): Promise<Response> {
  const repository = reach(host, c, read);
  const sql = 'SELECT name, sha FROM refs WHERE repositoryId = ? AND substr(name, 1, ?) = ? ORDER BY name';
  const rows = host.database.all<{ name: string; sha: string }>(sql, repository.id, prefix.length, prefix);
  return c.json(await Promise.all(rows.map((row) => refShape(host, repository, row))));
}

async function refShape(host: Host, repository: Repository, { name, sha }: { name: string; sha: string }) {
  const api = repositoryApiUrl(host, repository);
  const type = (await objectType(host.git, host.directory(repository), sha)) ?? 'commit';
  return {
    ref: name,
    node_id: Buffer.from(`ref:${repository.id}:${name}`).toString('base64url'),
    url: `${api}/git/${name}`,
    object: { sha, type, url: `${api}/git/${type}s/${sha}` },
  };
}
