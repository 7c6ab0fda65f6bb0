import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { NameLabel, RepoName } from '../../src/rules/names.ts';
import type { PromoteReleaseInput } from '../../workflows/releases/messages.ts';
import { getLivingProduct } from '../catalog/product.ts';
import { repoOf } from '../catalog/product-repo.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requestOf } from '../idempotency.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, body, OrgParams } from '../views.ts';
import { openRelease } from './open-release.ts';
import { getReleaseOf, releaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const StartReleaseBody = z.strictObject({
  product: NameLabel,
  repo: RepoName.optional(),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'must be a full commit hash')
    .optional()
    .openapi({ description: 'The head of the default branch when left out.' }),
  version: z
    .string()
    .regex(/^v\d+\.\d+\.\d+$/, 'must be of the form vX.Y.Z')
    .optional()
    .openapi({ description: 'Conventional Commits decide when left out.' }),
});

const route = createRoute({
  operationId: 'startRelease',
  method: 'post',
  path: '/v1/orgs/{org}/releases',
  tags: ['Releases'],
  summary: 'Release a commit of a Product by hand',
  ...needs('member'),
  request: { params: OrgParams, body: body(StartReleaseBody) },
  responses: { 201: answer('The Release', ReleaseView), ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503) },
});

export function startRelease(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const asked = c.req.valid('json');
    const repo = repoOf(await getLivingProduct(deps.store, { org, product: asked.product }), asked.repo, '/repo');
    const commit = await commitOf(await deps.codehost.forOrg(org), repo, asked.commit);
    const input: PromoteReleaseInput = {
      org,
      product: asked.product,
      repo,
      commit,
      startedBy: c.get('caller').email,
      ...(asked.version !== undefined && { version: asked.version }),
    };
    const name = await openRelease(deps, input, { request: requestOf(c, `startRelease ${org}`), about: asked });
    const release = await getReleaseOf(deps.store, { org, name });
    tagged(c, release.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/releases/${name}`);
    return c.json(releaseView(release, c.get('role')), 201);
  });
}

async function commitOf(host: OrgCodehost, repo: string, asked: string | undefined): Promise<string> {
  if (asked !== undefined) return (await host.commit(repo, asked)).sha;
  const { defaultBranch } = await host.repository(repo);
  const head = await host.branchHead(repo, defaultBranch);
  if (head === undefined)
    throw new ServiceError('conflict', `The branch "${defaultBranch}" of ${repo} has no commit to release yet.`);
  return head;
}
