import { createRoute, z } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { approvePromotion as approve, keepEnvironmentId } from '../../workflows/environments/messages.ts';
import { refuseOwnApproval } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { answer, json, ReleaseZoneParams } from '../views.ts';
import { getReleaseOf, refuseOver, releaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const route = createRoute({
  operationId: 'approvePromotion',
  method: 'post',
  path: '/v1/orgs/{org}/releases/{name}/zones/{zone}/approve',
  tags: ['Releases'],
  summary: 'Let a Release into a zone',
  ...needs('member'),
  request: {
    params: ReleaseZoneParams,
    body: { content: json(z.strictObject({ note: z.string().max(2000).optional() })) },
  },
  responses: {
    200: answer('The Release after it', ReleaseView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function approvePromotion(app: App, { store, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name, zone } = c.req.valid('param');
    const { note } = c.req.valid('json');
    const release = await getReleaseOf(store, { org, name });
    if (!release.status?.zones.some((candidate) => candidate.name === zone))
      throw notFound('zone', zone, `Release "${name}"`);
    refuseOver(release);
    await refuseOwnApproval(store, org, { startedBy: release.spec.startedBy, by: c.get('caller').email });
    const decision = {
      release: name,
      by: c.get('caller').email,
      role: c.get('role') ?? 'member',
      ...(note !== undefined && { note }),
    };
    const keeper = keepEnvironmentId({ org, product: release.spec.product, zone });
    await speaking(temporal, () => temporal.workflow.getHandle(keeper).executeUpdate(approve, { args: [decision] }));
    return c.json(releaseView(await getReleaseOf(store, { org, name }), c.get('role')), 200);
  });
}
