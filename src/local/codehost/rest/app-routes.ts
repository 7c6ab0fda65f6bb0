import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { convertManifest } from '../app-manifests.ts';
import { appShape, installationShape } from '../apps.ts';
import { accountById, accountShape, findAccount } from '../accounts.ts';
import { tokenHash } from '../callers.ts';
import { Failure, notFound } from '../failure.ts';
import type { Host } from '../host.ts';
import { findRepository, repositoriesOf, repositoryShape } from '../repositories.ts';
import type { AppRow, Installation, Repository } from '../rows.ts';
import { isLoopback } from '../loopback.ts';
import { hostTime } from '../times.ts';
import { numberPart, paginate, part, readBody } from './requests.ts';
import type { Rest, RestContext } from './requests.ts';

/** What an app asks for itself, with its JSON web token. */
export function appRoutes(rest: Rest, host: Host): void {
  rest.post('/v3/app-manifests/:code/conversions', async (c) => {
    const app = await convertManifest(host, part(c, 'code'));
    if (app === undefined) throw notFound();
    return c.json(app, 201);
  });
  rest.get('/v3/app', (c) => {
    const app = callingApp(c);
    const { count } = host.database.one<{ count: number }>(
      'SELECT count(*) AS count FROM installations WHERE appId = ?',
      app.id,
    ) ?? { count: 0 };
    return c.json({ ...appShape(host, app), installations_count: count });
  });
  hookConfigRoutes(rest, host);
  installationLookups(rest, host);
  rest.post('/v3/app/installations/:installation_id/access_tokens', (c) => createToken(host, c));
}

/** The app whose JSON web token came with the request. */
export function callingApp(c: RestContext): AppRow {
  const caller = c.get('caller');
  if (caller.kind !== 'app') throw new Failure(401, 'A JSON web token could not be decoded');
  return caller.app;
}

const HookConfig = z.object({
  url: z.url().optional(),
  secret: z.string().min(1).optional(),
  content_type: z.string().optional(),
  insecure_ssl: z.unknown().optional(),
});

function hookConfigRoutes(rest: Rest, host: Host): void {
  const shape = (url: string) => ({ content_type: 'json', insecure_ssl: '0', secret: '********', url });
  rest.get('/v3/app/hook/config', (c) => c.json(shape(callingApp(c).hookUrl)));
  rest.patch('/v3/app/hook/config', async (c) => {
    const app = callingApp(c);
    const { url = app.hookUrl, secret = app.webhookSecret } = await readBody(c, HookConfig, 'Hook');
    if (!isLoopback(url)) throw new Failure(422, 'This stand-in delivers webhooks to this machine only.');
    host.database.update('apps', app.id, { hookUrl: url, webhookSecret: secret });
    return c.json(shape(url));
  });
}

function installationLookups(rest: Rest, host: Host): void {
  const of = (app: AppRow): Installation[] =>
    host.database.all<Installation>('SELECT * FROM installations WHERE appId = ? ORDER BY id', app.id);
  const answer = (c: RestContext, matches: (installation: Installation) => boolean): Response => {
    const app = callingApp(c);
    const installation = of(app).find(matches);
    if (installation === undefined) throw notFound();
    return c.json(installationShape(host, app, installation));
  };
  rest.get('/v3/app/installations', (c) => {
    const app = callingApp(c);
    return c.json(paginate(host, c, of(app)).map((installation) => installationShape(host, app, installation)));
  });
  rest.get('/v3/app/installations/:installation_id', (c) =>
    answer(c, ({ id }) => id === numberPart(c, 'installation_id')),
  );
  rest.get('/v3/users/:username/installation', (c) =>
    answer(c, ({ accountId }) => accountId === findAccount(host, part(c, 'username'))?.id),
  );
  rest.get('/v3/orgs/:org/installation', (c) => {
    const account = findAccount(host, part(c, 'org'));
    return answer(c, ({ accountId }) => account?.type === 'Organization' && accountId === account.id);
  });
  rest.get('/v3/repos/:owner/:repo/installation', (c) => {
    const ownerId = findRepository(host, part(c, 'owner'), part(c, 'repo'))?.ownerId;
    return answer(c, ({ accountId }) => accountId === ownerId);
  });
  rest.get('/v3/apps/:slug', (c) => {
    const app = host.database.one<AppRow>('SELECT * FROM apps WHERE slug = ?', part(c, 'slug'));
    if (app === undefined) throw notFound();
    return c.json({ ...appShape(host, app), owner: accountShape(host, accountById(host, app.ownerId)) });
  });
}

const TokenRequest = z.object({
  repositories: z.array(z.string()).optional(),
  repository_ids: z.array(z.int()).optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
});

const tokenLifetimeMs = 3_600_000;
const levels = ['read', 'write', 'admin'];

async function createToken(host: Host, c: RestContext): Promise<Response> {
  const app = callingApp(c);
  const installation = host.database.one<Installation>(
    'SELECT * FROM installations WHERE id = ? AND appId = ?',
    numberPart(c, 'installation_id'),
    app.id,
  );
  if (installation === undefined) throw notFound();
  const wanted = await readBody(c, TokenRequest, 'InstallationToken');
  const granted = installationShape(host, app, installation).permissions as Record<string, string>;
  const permissions = wanted.permissions ?? granted;
  const excess = Object.entries(permissions).find(
    ([name, level]) => levels.indexOf(level) > levels.indexOf(granted[name] ?? ''),
  );
  if (excess !== undefined) throw new Failure(422, 'The permissions requested are not granted to this installation.');
  const chosen = chooseRepositories(repositoriesOf(host, installation.accountId), wanted);

  const token = `ghs_${randomBytes(27).toString('base64url').replace(/[-_]/g, '0')}`;
  const expiresAt = hostTime(new Date(Date.now() + tokenLifetimeMs));
  host.database.transaction(() => {
    host.database.run('DELETE FROM installationTokens WHERE expiresAt < ?', hostTime());
    const repositoryIds = chosen === undefined ? null : JSON.stringify(chosen.map(({ id }) => id));
    host.database.insert('installationTokens', {
      hash: tokenHash(token),
      installationId: installation.id,
      permissions: JSON.stringify(permissions),
      repositoryIds,
      expiresAt,
    });
  });
  const selection =
    chosen === undefined
      ? { repository_selection: 'all' }
      : { repository_selection: 'selected', repositories: chosen.map((one) => repositoryShape(host, one)) };
  return c.json({ token, expires_at: expiresAt, permissions, ...selection }, 201);
}

function chooseRepositories(
  all: Repository[],
  { repositories, repository_ids: ids }: z.infer<typeof TokenRequest>,
): Repository[] | undefined {
  if (repositories === undefined && ids === undefined) return undefined;
  const chosen = [
    ...(repositories ?? []).map((wanted) => all.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())),
    ...(ids ?? []).map((wanted) => all.find(({ id }) => id === wanted)),
  ].filter((repository) => repository !== undefined);
  if (chosen.length < (repositories?.length ?? 0) + (ids?.length ?? 0)) {
    throw new Failure(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  return chosen;
}
