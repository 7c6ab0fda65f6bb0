import { z } from 'zod';
import { findAccount } from '../accounts.ts';
import { assertPermission } from '../auth.ts';
import { createRepository } from '../create-repository.ts';
import { notFound, HttpError, unprocessable } from '../http-error.ts';
import type { Host } from '../host.ts';
import { commitReadme } from '../initial-commits.ts';
import { isRepositoryName } from '../names.ts';
import { findBranchSha, listOwnerRepositories, getRepository, toRepositoryJson } from '../repositories.ts';
import type { Account, Repository } from '../tables.ts';
import { formatTimestamp } from '../format-timestamp.ts';
import { paginate, getPathParam, getAccessibleRepository, readBody, getSender } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

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

export function repositoryRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo', (c) =>
    c.json(
      toRepositoryDetailJson(host, c, getAccessibleRepository(host, c, { permission: 'metadata', level: 'read' })),
    ),
  );

  rest.patch('/v3/repos/:owner/:repo', async (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'administration', level: 'write' });
    const patch = await readBody(c, RepositoryPatch, 'Repository');
    const { description = repository.description, default_branch: defaultBranch = repository.defaultBranch } = patch;
    if (findBranchSha(host, repository.id, defaultBranch) === undefined) {
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
      updatedAt: formatTimestamp(),
    });
    return c.json(toRepositoryDetailJson(host, c, getRepository(host, repository.id)));
  });

  rest.get('/v3/orgs/:org/repos', (c) => listRepositories(host, c, getOrganization(host, c)));
  rest.post('/v3/orgs/:org/repos', (c) => createFromRequest(host, c, getOrganization(host, c)));
  rest.get('/v3/users/:username/repos', (c) =>
    listRepositories(host, c, findAccount(host, getPathParam(c, 'username'))),
  );
  rest.post('/v3/user/repos', (c) => createFromRequest(host, c, getSender(c)));
}

function getOrganization(host: Host, c: RestContext): Account {
  const account = findAccount(host, getPathParam(c, 'org'));
  if (account?.type !== 'Organization') throw notFound();
  return account;
}

/** The form of a single repository, which includes the caller's permissions. */
function toRepositoryDetailJson(host: Host, c: RestContext, repository: Repository) {
  const write = c.get('caller').kind === 'user';
  const permissions = { admin: write, maintain: write, push: write, triage: write, pull: true };
  return {
    ...toRepositoryJson(host, repository),
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
  const visible = listOwnerRepositories(host, owner.id).filter(
    ({ id, ownerId, private: hidden }) =>
      hidden === 0 ||
      caller.kind === 'user' ||
      (caller.kind === 'installation' &&
        caller.installation.accountId === ownerId &&
        (caller.repositoryIds?.includes(id) ?? true)),
  );
  return c.json(paginate(host, c, visible).map((repository) => toRepositoryJson(host, repository)));
}

async function createFromRequest(host: Host, c: RestContext, owner: Account): Promise<Response> {
  const author = getSender(c);
  const caller = c.get('caller');
  if (caller.kind === 'installation') {
    if (caller.installation.accountId !== owner.id) throw notFound();
    assertPermission(caller.permissions, { permission: 'administration', level: 'write' });
  }
  const body = await readBody(c, RepositoryBody, 'Repository');
  const violation = (message: string): HttpError =>
    new HttpError(422, 'Repository creation failed.', [
      { resource: 'Repository', code: 'custom', field: 'name', message },
    ]);
  if (!isRepositoryName(body.name))
    throw violation('name can only contain ASCII letters, digits, and the characters ., -, and _');
  const { name, description = null } = body;
  const repository = await createRepository(host, {
    owner,
    name,
    description,
    private: body.visibility === undefined ? body.private : body.visibility === 'private',
    sender: author,
    ...(body.auto_init ? { firstCommit: commitReadme(host, { name, description, author }) } : {}),
  });
  if (repository === undefined) throw violation('name already exists on this account');
  return c.json(toRepositoryDetailJson(host, c, repository), 201);
}
