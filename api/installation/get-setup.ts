import { createRoute, z } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { answer } from '../views.ts';
import { findRootUser } from './root-user.ts';

const route = createRoute({
  operationId: 'getSetup',
  method: 'get',
  path: '/v1/setup',
  tags: ['Installation'],
  summary: 'What is set up already',
  ...needs('anyone'),
  responses: { 200: answer('What is set up', z.object({ rootUser: z.boolean() }).openapi('Setup')) },
});

export function getSetup(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => c.json({ rootUser: (await findRootUser(store)) !== undefined }, 200));
}
