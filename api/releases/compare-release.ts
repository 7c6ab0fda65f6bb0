import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import type { Product } from '../../src/rules/products/kinds.ts';
import { findPreviousRelease } from '../../src/rules/releases/find-previous-release.ts';
import { type Release, ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { Store } from '../../src/store/store.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, NamedParams } from '../http/views.ts';
import { getZoneStatus, getProductByName } from '../products/product.ts';
import { ContentsView, directions, readDelta } from './read-comparison.ts';
import { getReleaseByName } from './release-view.ts';

const CompareQuery = z.strictObject({
  zone: z.string().min(1).max(200).optional().openapi({
    description:
      'Zone to compare with. Defaults to the previous Release: the newest older one of the repo that was built.',
    example: 'hello-prod',
  }),
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
    zone: z.string().optional().describe('Name of the zone; absent in a comparison with the previous Release.'),
    from: SideView.optional().describe('What the zone runs, or the previous Release; absent if there is none.'),
    to: SideView.describe('The Release.'),
    direction: z
      .enum(directions)
      .describe(
        'How the Release relates to `from`: `first` if there is no `from`, `backward` if the Release is older, as in a rollback, `diverged` if both have commits of their own, `unrelated` if the code host knows no common history.',
      ),
    added: ContentsView.describe('What the Release has and `from` does not.'),
    removed: ContentsView.describe('What `from` has and the Release does not, for example in a rollback.'),
  })
  .openapi('ReleaseComparison');

const route = createRoute({
  operationId: 'compareRelease',
  method: 'get',
  path: '/v1/orgs/{org}/releases/{name}/compare',
  tags: ['Releases'],
  summary: 'Compare a Release with a zone or with the previous Release',
  description:
    'Returns the commits, runs and issues that the promotion of the Release to the zone brings or takes away, with the image digests; without `zone`, those between the previous Release and this one. Fails with 404 if the Product of the Release does not have the zone.',
  ...requireRole('viewer'),
  request: { params: NamedParams, query: CompareQuery },
  responses: {
    200: jsonResponse('The comparison', ReleaseComparisonView),
    ...problems(401, 403, 404, 409, 422),
  },
});

export function compareRelease(app: App, { store, codehost }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { zone } = c.req.valid('query');
    const release = await getReleaseByName(store, ref);
    const { namespace } = release.metadata;
    const { product: name, repo, commit } = release.spec;
    const from =
      zone === undefined
        ? await findBefore(store, release)
        : await findRunning(store, release, await getProductByName(store, { org: ref.org, product: name }), zone);
    const { items: runs } = await cachedReads(store).list(AgentWorkflowRunKind, {
      namespace,
      fields: { 'spec.product': name },
    });
    const delta = await readDelta(await codehost.forOrg(ref.org), { from: from?.at, to: { repo, commit }, runs });
    return c.json({ product: name, ...defined({ zone, from: from?.side }), to: toSide(release), ...delta }, 200);
  });
}

type From = { at: { repo: string; commit: string }; side: z.infer<typeof SideView> };

async function findBefore(store: Store, release: Release): Promise<From | undefined> {
  const { items } = await cachedReads(store).list(ReleaseKind, {
    namespace: release.metadata.namespace,
    fields: { 'spec.product': release.spec.product },
  });
  const before = findPreviousRelease(release, items);
  return before && { at: before.spec, side: toSide(before) };
}

async function findRunning(store: Store, release: Release, product: Product, zone: string): Promise<From | undefined> {
  const running = getZoneStatus(product, zone);
  if (running?.commit === undefined) return undefined;
  const { release: name, version, commit, digest } = running;
  const { namespace } = release.metadata;
  const previous = name === undefined ? undefined : await store.find(ReleaseKind, { namespace, name });
  return {
    at: { repo: previous?.spec.repo ?? release.spec.repo, commit },
    side: { commit, ...defined({ release: name, version, digest }) },
  };
}

const toSide = ({ metadata, spec, status }: Release): z.infer<typeof SideView> => ({
  release: metadata.name,
  version: spec.version,
  commit: spec.commit,
  ...defined({ digest: status?.digest }),
});
