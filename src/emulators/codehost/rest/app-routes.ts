import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { convertManifest } from '../app-manifests.ts';
import { toAppJson, toInstallationJson } from '../apps.ts';
import { getAccount, toAccountJson, findAccount } from '../accounts.ts';
import { hashToken } from '../hash-token.ts';
import { HttpError, notFound } from '../http-error.ts';
import type { Host } from '../host.ts';
import { findRepository, listOwnerRepositories, toRepositoryJson } from '../repositories.ts';
import type { AppRow, Installation, Repository } from '../tables.ts';
import { isLoopback } from '../is-loopback.ts';
import { formatTimestamp } from '../format-timestamp.ts';
import { getNumberParam, paginate, getPathParam, readBody } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

/** These routes authenticate with the JSON web token of an app. */
export function appRoutes(rest: RestApi, host: Host): void {
  rest.post('/v3/app-manifests/:code/conversions', async (c) => {
    // Everyone on this machine can reach the emulator, so the code alone does not suffice as it does at GitHub.
    if (c.get('caller').kind !== 'user') throw new HttpError(401, 'Requires authentication');
    const app = await convertManifest(host, getPathParam(c, 'code'));
    if (app === undefined) throw notFound();
    return c.json(app, 201);
  });
  rest.get('/v3/app', (c) => {
    const app = getCallingApp(c);
    const { count } = host.database.get<{ count: number }>(
      'SELECT count(*) AS count FROM installations WHERE appId = ?',
      app.id,
    ) ?? { count: 0 };
    return c.json({ ...toAppJson(host, app), installations_count: count });
  });
  hookConfigRoutes(rest, host);
  installationLookupRoutes(rest, host);
  rest.post('/v3/app/installations/:installation_id/access_tokens', (c) => createInstallationToken(host, c));
}

export function getCallingApp(c: RestContext): AppRow {
  const caller = c.get('caller');
  if (caller.kind !== 'app') throw new HttpError(401, 'A JSON web token could not be decoded');
  return caller.app;
}

const HookConfig = z.object({
  url: z.url().optional(),
  secret: z.string().min(1).optional(),
  content_type: z.string().optional(),
  insecure_ssl: z.unknown().optional(),
});

function hookConfigRoutes(rest: RestApi, host: Host): void {
  const shape = (url: string) => ({ content_type: 'json', insecure_ssl: '0', secret: '********', url });
  rest.get('/v3/app/hook/config', (c) => c.json(shape(getCallingApp(c).hookUrl)));
  rest.patch('/v3/app/hook/config', async (c) => {
    const app = getCallingApp(c);
    const { url = app.hookUrl, secret = app.webhookSecret } = await readBody(c, HookConfig, 'Hook');
    if (!isLoopback(url))
      throw new HttpError(422, 'The code host emulator delivers webhooks to loopback addresses only.');
    host.database.update('apps', app.id, { hookUrl: url, webhookSecret: secret });
    return c.json(shape(url));
  });
}

function installationLookupRoutes(rest: RestApi, host: Host): void {
  const listInstallations = (app: AppRow): Installation[] =>
    host.database.all<Installation>('SELECT * FROM installations WHERE appId = ? ORDER BY id', app.id);
  const respond = (c: RestContext, matches: (installation: Installation) => boolean): Response => {
    const app = getCallingApp(c);
    const installation = listInstallations(app).find(matches);
    if (installation === undefined) throw notFound();
    return c.json(toInstallationJson(host, app, installation));
  };
  rest.get('/v3/app/installations', (c) => {
    const app = getCallingApp(c);
    return c.json(
      paginate(host, c, listInstallations(app)).map((installation) => toInstallationJson(host, app, installation)),
    );
  });
  rest.get('/v3/app/installations/:installation_id', (c) =>
    respond(c, ({ id }) => id === getNumberParam(c, 'installation_id')),
  );
  rest.get('/v3/users/:username/installation', (c) =>
    respond(c, ({ accountId }) => accountId === findAccount(host, getPathParam(c, 'username'))?.id),
  );
  rest.get('/v3/orgs/:org/installation', (c) => {
    const account = findAccount(host, getPathParam(c, 'org'));
    return respond(c, ({ accountId }) => account?.type === 'Organization' && accountId === account.id);
  });
  rest.get('/v3/repos/:owner/:repo/installation', (c) => {
    const ownerId = findRepository(host, getPathParam(c, 'owner'), getPathParam(c, 'repo'))?.ownerId;
    return respond(c, ({ accountId }) => accountId === ownerId);
  });
  rest.get('/v3/apps/:slug', (c) => {
    const app = host.database.get<AppRow>('SELECT * FROM apps WHERE slug = ?', getPathParam(c, 'slug'));
    if (app === undefined) throw notFound();
    return c.json({ ...toAppJson(host, app), owner: toAccountJson(host, getAccount(host, app.ownerId)) });
  });
}

const TokenRequest = z.object({
  repositories: z.array(z.string()).optional(),
  repository_ids: z.array(z.int()).optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
});

const tokenLifetimeMs = 3_600_000;
const permissionLevels = ['read', 'write', 'admin'];

async function createInstallationToken(host: Host, c: RestContext): Promise<Response> {
  const app = getCallingApp(c);
  const installation = host.database.get<Installation>(
    'SELECT * FROM installations WHERE id = ? AND appId = ?',
    getNumberParam(c, 'installation_id'),
    app.id,
  );
  if (installation === undefined) throw notFound();
  const body = await readBody(c, TokenRequest, 'InstallationToken');
  const granted = toInstallationJson(host, app, installation).permissions as Record<string, string>;
  const permissions = body.permissions ?? granted;
  const excess = Object.entries(permissions).find(
    ([name, level]) => permissionLevels.indexOf(level) > permissionLevels.indexOf(granted[name] ?? ''),
  );
  if (excess !== undefined) throw new HttpError(422, 'The permissions requested are not granted to this installation.');
  const chosen = resolveRepositories(listOwnerRepositories(host, installation.accountId), body);

  const token = `ghs_${randomBytes(27).toString('base64url').replace(/[-_]/g, '0')}`;
  const expiresAt = formatTimestamp(new Date(Date.now() + tokenLifetimeMs));
  host.database.transaction(() => {
    host.database.run('DELETE FROM installationTokens WHERE expiresAt < ?', formatTimestamp());
    const repositoryIds = chosen === undefined ? null : JSON.stringify(chosen.map(({ id }) => id));
    host.database.insert('installationTokens', {
      hash: hashToken(token),
      installationId: installation.id,
      permissions: JSON.stringify(permissions),
      repositoryIds,
      expiresAt,
    });
  });
  const selection =
    chosen === undefined
      ? { repository_selection: 'all' }
      : { repository_selection: 'selected', repositories: chosen.map((one) => toRepositoryJson(host, one)) };
  return c.json({ token, expires_at: expiresAt, permissions, ...selection }, 201);
}

function resolveRepositories(
  all: Repository[],
  { repositories, repository_ids: ids }: z.infer<typeof TokenRequest>,
): Repository[] | undefined {
  if (repositories === undefined && ids === undefined) return undefined;
  const chosen = [
    ...(repositories ?? []).map((wanted) => all.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())),
    ...(ids ?? []).map((wanted) => all.find(({ id }) => id === wanted)),
  ].filter((repository) => repository !== undefined);
  if (chosen.length < (repositories?.length ?? 0) + (ids?.length ?? 0)) {
    throw new HttpError(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  return chosen;
}
