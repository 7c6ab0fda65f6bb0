import { createRoute, z } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { jsonResponse } from '../http/views.ts';
import { wasRootUserCreated } from './root-user.ts';

const route = createRoute({
  operationId: 'getSetup',
  method: 'get',
  path: '/v1/setup',
  tags: ['Installation'],
  summary: 'Get the setup state',
  description: 'Returns whether the root user was created. Requires no credentials.',
  ...requireRole('anyone'),
  responses: {
    200: jsonResponse(
      'The setup state',
      z
        .object({
          rootUser: z.boolean().describe('Whether the root user was created, also if that user was removed since.'),
        })
        .openapi('Setup'),
    ),
  },
});

export function getSetup(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => c.json({ rootUser: await wasRootUserCreated(store) }, 200));
}
