import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import { ServiceError } from '../../src/errors.ts';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { NameLabel, RepoName } from '../../src/rules/names.ts';
import { versionForm, versionPattern } from '../../src/rules/releases/next-version.ts';
import type { PromoteReleaseInput } from '../../workflows/releases/messages.ts';
import { getProductWithRepo } from '../products/product.ts';
import { resolveRepo } from '../products/resolve-repo.ts';
import type { ApiDeps, App } from '../deps.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { startReleaseWorkflow } from './start-release-workflow.ts';
import { getReleaseByName, buildReleaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const StartReleaseBody = z.strictObject({
  product: NameLabel.describe('Product to release.'),
  repo: RepoName.optional().describe('Repo to build; may be omitted if the Product has one repo.'),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'must be a full commit hash')
    .optional()
    .openapi({ description: 'Defaults to the head of the default branch.' }),
  version: z
    .string()
    .regex(versionPattern, versionForm)
    .optional()
    .openapi({ description: 'Defaults to the version that follows from the Conventional Commits.' }),
});

const route = createRoute({
  operationId: 'startRelease',
  method: 'post',
  path: '/v1/orgs/{org}/releases',
  tags: ['Releases'],
  summary: 'Start a Release',
  description:
    'Builds a commit of a Product and promotes it through the zones. Fails with 409 while a Release of the commit is in progress.',
  ...requireRole('member'),
  request: { params: OrgParams, body: body(StartReleaseBody) },
  responses: {
    201: jsonResponse('The started Release', ReleaseView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function startRelease(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const requested = c.req.valid('json');
    const prepare = async (): Promise<PromoteReleaseInput> => {
      const { product, version } = requested;
      const repo = resolveRepo(await getProductWithRepo(deps.store, { org, product }), requested.repo, '/repo');
      const commit = await resolveCommit(await deps.codehost.forOrg(org), repo, requested.commit);
      return { org, product, repo, commit, startedBy: c.get('caller').email, ...defined({ version }) };
    };
    const request = identifyRequest(c, `startRelease ${org}`);
    const name = await startReleaseWorkflow(deps, { org, request, payload: requested, prepare });
    const release = await getReleaseByName(deps.store, { org, name });
    setETag(c, release.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/releases/${name}`);
    return c.json(await buildReleaseView(deps.store, release, getViewer(c, org)), 201);
  });
}

async function resolveCommit(codehost: OrgCodehost, repo: string, requested: string | undefined): Promise<string> {
  if (requested !== undefined) return (await codehost.getCommit(repo, requested)).sha;
  const { defaultBranch } = await codehost.getRepository(repo);
  const head = await codehost.findBranchHead(repo, defaultBranch);
  if (head === undefined)
    throw new ServiceError(
      'branch-empty',
      `The branch "${defaultBranch}" of ${repo} has no commit. Push a commit, then retry.`,
    );
  return head;
}
