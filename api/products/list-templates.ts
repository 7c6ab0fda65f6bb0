import { createRoute } from '@hono/zod-openapi';
import { templateNames, templates, templateViolation } from '../../src/rules/products/templates.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema } from '../http/views.ts';
import { TemplateView } from './schemas.ts';

const route = createRoute({
  operationId: 'listTemplates',
  method: 'get',
  path: '/v1/templates',
  tags: ['Products'],
  summary: 'List templates',
  description:
    'Returns the templates that a Product can be created from, on one page. A template is unavailable if this installation cannot build its language.',
  ...requireRole('signed-in'),
  responses: { 200: jsonResponse('All templates', listSchema(TemplateView)), ...problems(401) },
});

export function listTemplates(app: App, { missingLanguages = {} }: ApiDeps): void {
  app.openapi(route, (c) => {
    const items = templateNames.map((name) => {
      const unavailableReason = templateViolation(name, missingLanguages);
      const available = unavailableReason === undefined;
      return { name, ...templates[name], available, ...(unavailableReason !== undefined && { unavailableReason }) };
    });
    return c.json({ items }, 200);
  });
}
