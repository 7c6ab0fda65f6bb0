import { createRoute, z } from '@hono/zod-openapi';
import { OrganizationKind, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import { lastHeard } from '../../src/store/last-heard.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer } from '../views.ts';
import { checkParts } from './check-parts.ts';

const counted: Kind<StoredObject>[] = [OrganizationKind, ProductKind, AgentWorkflowRunKind, ReleaseKind];

const StatusView = z
  .object({
    kind: z.literal('Installation'),
    name: z.string(),
    version: z.string(),
    store: z.object({ reachable: z.boolean() }),
    workflows: z.object({ reachable: z.boolean() }),
    resources: z.record(z.string(), z.int()),
    message: z.string(),
  })
  .openapi('Installation');

const route = createRoute({
  operationId: 'getStatus',
  method: 'get',
  path: '/v1/status',
  tags: ['Installation'],
  summary: 'How the installation is',
  ...needs('signed-in'),
  responses: { 200: answer('The installation', StatusView), ...problems(401) },
});

export function getStatus(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const parts = await checkParts(deps);
    const message = parts.workflows
      ? 'Everything can be reached.'
      : 'The workflow server cannot be reached: what is shown is right, and nothing moves until it is back.';
    return c.json(
      {
        kind: 'Installation' as const,
        name: new URL(deps.config.publicUrl).host,
        version: deps.config.version,
        store: { reachable: parts.store },
        workflows: { reachable: parts.workflows },
        resources: await counts(deps),
        message,
      },
      200,
    );
  });
}

async function counts({ store }: ApiDeps): Promise<Record<string, number>> {
  const entries = counted.map(async (kind) => [kind.plural, (await lastHeard(store).list(kind)).items.length] as const);
  return Object.fromEntries(await Promise.all(entries));
}
