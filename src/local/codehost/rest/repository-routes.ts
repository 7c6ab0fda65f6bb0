import { z } from 'zod';
import { findAccount } from '../accounts.ts';
import { mustBeGranted } from '../callers.ts';
import { createRepository, readMeCommit } from '../create-repository.ts';
import { notFound, Failure, unprocessable } from '../failure.ts';
import type { Host } from '../host.ts';
import { isRepositoryName } from '../names.ts';
import { branchSha, repositoriesOf, repositoryById, repositoryShape } from '../repositories.ts';
import type { Account, Repository } from '../rows.ts';
import { hostTime } from '../times.ts';
import { paginate, part, reach, readBody, sender } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

const RepositoryBody = z.object({
  name: z.string(),
  description: z.string().nullish(),
  private: z.boolean().default(false),
  visibility: z.enum(['public', 'private']).optional(),
  auto_init: z.boolean().default(false),
});
const RepositoryPatch = z.object({
  description: z.string().nullish(),
  default_branch: z.string().optional(),
  private: z.boolean().optional(),
});

export function repositoryRoutes(rest: Rest, host: Host): void {
  rest.get('/v3/repos/:owner/:repo', (c) =>
    c.json(fullShape(host, c, reach(host, c, { permission: 'metadata', level: 'read' }))),
  );

  rest.patch('/v3/repos/:owner/:repo', async (c) => {
    const repository = reach(host, c, { permission: 'administration', level: 'write' });
    const patch = await readBody(c, RepositoryPatch, 'Repository');
    const { description = repository.description, default_branch: defaultBranch = repository.defaultBranch } = patch;
    if (branchSha(host, repository.id, defaultBranch) === undefined) {
      throw unprocessable({
        resource: 'Repository',
        field: 'default_branch',
        code: 'invalid',
        message: `The branch ${defaultBranch} was not found.`,
      });
    }
    await host.git.text(host.directory(repository), ['symbolic-ref', 'HEAD', `refs/heads/${defaultBranch}`]);
    const hidden = patch.private ?? repository.private === 1;
    host.database.update('repositories', repository.id, {
      description,
      defaultBranch,
      private: hidden ? 1 : 0,
      updatedAt: hostTime(),
    });
    return c.json(fullShape(host, c, repositoryById(host, repository.id)));
  });

  rest.get('/v3/orgs/:org/repos', (c) => listRepositories(host, c, organization(host, c)));
  rest.post('/v3/orgs/:org/repos', (c) => create(host, c, organization(host, c)));
  rest.get('/v3/users/:username/repos', (c) => listRepositories(host, c, findAccount(host, part(c, 'username'))));
  rest.post('/v3/user/repos', (c) => create(host, c, sender(c)));
}

function organization(host: Host, c: RestContext): Account {
  const account = findAccount(host, part(c, 'org'));
  if (account?.type !== 'Organization') throw notFound();
  return account;
}

/** With what the caller may do, as a single repository has it. */
function fullShape(host: Host, c: RestContext, repository: Repository) {
  const write = c.get('caller').kind === 'user';
  const permissions = { admin: write, maintain: write, push: write, triage: write, pull: true };
  return {
    ...repositoryShape(host, repository),
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: true,
    delete_branch_on_merge: false,
    permissions,
  };
}

function listRepositories(host: Host, c: RestContext, owner: Account | undefined): Response {
  if (owner === undefined) throw notFound();
  const caller = c.get('caller');
  const visible = repositoriesOf(host, owner.id).filter(
    ({ id, ownerId, private: hidden }) =>
      hidden === 0 ||
      caller.kind === 'user' ||
      (caller.kind === 'installation' &&
        caller.installation.accountId === ownerId &&
        (caller.repositoryIds?.includes(id) ?? true)),
  );
  return c.json(paginate(host, c, visible).map((repository) => repositoryShape(host, repository)));
}

async function create(host: Host, c: RestContext, owner: Account): Promise<Response> {
  const author = sender(c);
  const caller = c.get('caller');
  if (caller.kind === 'installation') {
    if (caller.installation.accountId !== owner.id) throw notFound();
    mustBeGranted(caller.permissions, { permission: 'administration', level: 'write' });
  }
  const body = await readBody(c, RepositoryBody, 'Repository');
  const refused = (message: string): Failure =>
    new Failure(422, 'Repository creation failed.', [
      { resource: 'Repository', code: 'custom', field: 'name', message },
    ]);
  if (!isRepositoryName(body.name))
    throw refused('name can only contain ASCII letters, digits, and the characters ., -, and _');
  const { name, description = null } = body;
  const repository = await createRepository(host, {
    owner,
    name,
    description,
    private: body.visibility === undefined ? body.private : body.visibility === 'private',
    sender: author,
    ...(body.auto_init ? { firstCommit: readMeCommit(host, { name, description, author }) } : {}),
  });
  if (repository === undefined) throw refused('name already exists on this account');
  return c.json(fullShape(host, c, repository), 201);
}
