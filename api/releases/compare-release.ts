import { createRoute, z } from '@hono/zod-openapi';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import type { ZoneStatus } from '../../src/rules/products/kinds.ts';
import { type Release, ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, NamedParams } from '../http/views.ts';
import { getZoneStatus, getProductByName } from '../products/product.ts';
import { ContentsView, directions, readDelta } from './read-comparison.ts';
import { getReleaseByName } from './release-view.ts';

const CompareQuery = z.strictObject({
  zone: z.string().min(1).max(200).openapi({ description: 'Zone to compare with.', example: 'hello-prod' }),
});

const SideView = z.object({
  release: z.string().optional().describe('Name of the Release.'),
  version: z.string().optional().describe('Version of the Release.'),
  commit: z.string().optional().describe('Commit of the Release.'),
  digest: z.string().optional().describe('Digest of the image; absent until it is built.'),
});

const ReleaseComparisonView = z
  .object({
    product: z.string().describe('Name of the Product.'),
    zone: z.string().describe('Name of the zone.'),
    from: SideView.optional().describe('What the zone runs; absent if it runs nothing.'),
    to: SideView.describe('What the promotion brings.'),
    direction: z
      .enum(directions)
      .describe(
        'How the promotion moves the zone: `first` if it runs nothing, `backward` for a rollback, `diverged` if both sides have commits of their own, `unrelated` if the code host knows no common history.',
      ),
    added: ContentsView.describe('What the zone gains.'),
    removed: ContentsView.describe('What the zone loses, for example in a rollback.'),
  })
  .openapi('ReleaseComparison');

const route = createRoute({
  operationId: 'compareRelease',
  method: 'get',
  path: '/v1/orgs/{org}/releases/{name}/compare',
  tags: ['Releases'],
  summary: 'Compare a Release with what a zone runs',
  description:
    'Returns the commits, runs and issues that the promotion of the Release to the zone brings or takes away, with the image digests. Fails with 404 if the Product of the Release does not have the zone.',
  ...requireRole('viewer'),
  request: { params: NamedParams, query: CompareQuery },
  responses: {
    200: jsonResponse('The comparison', ReleaseComparisonView),
    ...problems(401, 403, 404, 409, 422, 503),
  },
});

export function compareRelease(app: App, { store, codehost }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { zone } = c.req.valid('query');
    const release = await getReleaseByName(store, ref);
    const { namespace } = release.metadata;
    const { product: name, repo, commit } = release.spec;
    const product = await getProductByName(store, { org: ref.org, product: name });
    const running = getZoneStatus(product, zone);
    const previous =
      running?.release === undefined ? undefined : await store.find(ReleaseKind, { namespace, name: running.release });
    const { items: runs } = await cachedReads(store).list(AgentWorkflowRunKind, {
      namespace,
      fields: { 'spec.product': name },
    });
    const from =
      running?.commit === undefined ? undefined : { repo: previous?.spec.repo ?? repo, commit: running.commit };
    const delta = await readDelta(await codehost.forOrg(ref.org), { from, to: { repo, commit }, runs });
    return c.json(
      { product: name, zone, ...(from && running && { from: toFrom(running) }), to: toTo(release), ...delta },
      200,
    );
  });
}

const toFrom = ({ release, version, commit, digest }: ZoneStatus): z.infer<typeof SideView> => ({
  ...(release !== undefined && { release }),
  ...(version !== undefined && { version }),
  ...(commit !== undefined && { commit }),
  ...(digest !== undefined && { digest }),
});

const toTo = ({ metadata, spec, status }: Release): z.infer<typeof SideView> => ({
  release: metadata.name,
  version: spec.version,
  commit: spec.commit,
  ...(status?.digest !== undefined && { digest: status.digest }),
});
