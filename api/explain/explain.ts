import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { explainers, isSubject, subjectForms } from './explainers.ts';
import { ExplanationView } from './schemas.ts';

const itemsMax = 20;
const forms = Object.values(subjectForms);

const ExplainQuery = z.strictObject({
  about: z
    .string()
    .min(1)
    .max(400)
    .openapi({
      description: `What to explain: ${forms.map((form) => `\`${form}\``).join(', ')}.`,
      example: 'issue:acme/hello#12',
    }),
});

const route = createRoute({
  operationId: 'explain',
  method: 'get',
  path: '/v1/orgs/{org}/explain',
  tags: ['Orgs'],
  summary: 'Explain why something did or did not happen',
  description:
    'Returns the rule that decided, the facts that it judged, and how to change the result: what events started, when a schedule fires, what holds a promotion, why a domain is not verified, why a run waits or failed. Fails with 404 if the subject does not exist.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: ExplainQuery },
  responses: { 200: jsonResponse('The explanation', ExplanationView), ...problems(401, 403, 404, 422) },
});

export function explain(app: App, { store, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { about } = c.req.valid('query');
    const [, subject = '', name = ''] = /^([a-z]+):(.+)$/s.exec(about) ?? [];
    if (!isSubject(subject))
      throw invalid(`"${about}" cannot be explained.`, [
        { pointer: '?about', detail: `must be of a form such as ${forms.join(', ')}` },
      ]);
    const items = await explainers[subject]({ reads: cachedReads(store), now: now(), org, name });
    return c.json({ about, items: items.slice(0, itemsMax) }, 200);
  });
}
