import { stripVTControlCharacters } from 'node:util';
import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import type { LogQuery, PodLog } from '../../src/integrations/telemetry/zone-telemetry.ts';
import type { Pod } from '../../src/rules/environments/cluster-kinds.ts';
import { Timestamp } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { json, ZoneParams } from '../views.ts';
import { ZoneLogsView } from './schemas.ts';
import { podsOf, whyNotRunning } from './zone-details.ts';
import { readZone } from './zone.ts';

const LogsQuery = z.strictObject({
  tail: z.coerce.number().int().min(1).max(2000).default(200).openapi({ description: 'How many lines of each pod.' }),
  pod: z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, 'must be the name of a pod')
    .optional(),
  since: Timestamp.optional().openapi({ description: 'Nothing older.' }),
  contains: z.string().max(500).optional().openapi({ description: 'Only lines that hold this text.' }),
  previous: z
    .enum(['true', 'false'])
    .optional()
    .openapi({ description: 'What was written before the last restart, instead of since then.' }),
});

const route = createRoute({
  operationId: 'getZoneLogs',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/logs',
  tags: ['Zones'],
  summary: 'Read the last lines that the pods of a zone wrote',
  ...needs('viewer'),
  request: { params: ZoneParams, query: LogsQuery },
  responses: {
    200: {
      description: 'As text, with a heading for each pod and a time before each line; as JSON where that is asked for',
      content: { 'text/plain': { schema: z.string() }, ...json(ZoneLogsView) },
    },
    ...problems(401, 403, 404, 422, 503),
  },
});

export function getZoneLogs(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const query = c.req.valid('query');
    const view = await readZone(c, deps, c.req.valid('param'));
    if (query.pod !== undefined) refuseStranger(await podsOf(deps.store, view.name), query.pod);
    const logs = await deps.telemetry.logs(view.name, asAsked(query));
    const pods = logs.map(({ pod, lines }) => ({
      name: pod,
      lines: lines.map(({ at, text }) => ({ at, text: visible(text) })),
    }));
    const notRunning = await whyNotRunning(deps.store, view);
    c.header('Cache-Control', 'no-store');
    if (c.req.header('accept')?.includes('application/json')) return c.json({ pods, notRunning }, 200);
    c.header('X-Content-Type-Options', 'nosniff');
    return c.text(pods.length > 0 ? pods.map(asText).join('\n') : `${notRunning ?? 'No pods run.'}\n`, 200);
  });
}

function refuseStranger(pods: Pod[], pod: string): void {
  const names = pods.map(({ metadata }) => metadata.name);
  if (names.includes(pod)) return;
  const detail = names.length > 0 ? `is none of ${names.join(', ')}` : 'cannot be given: there are no pods';
  throw invalid('The zone has no such pod.', [{ pointer: '?pod', detail }]);
}

const asAsked = ({ tail, pod, since, contains, previous }: z.infer<typeof LogsQuery>): LogQuery => ({
  tailLines: tail,
  previous: previous === 'true',
  ...(pod === undefined ? {} : { pod }),
  ...(since === undefined ? {} : { since: new Date(since) }),
  ...(contains === undefined ? {} : { contains }),
});

/** No line can pass for a heading: each begins with its time. */
const asText = ({ name, lines }: { name: string; lines: PodLog['lines'] }): string =>
  [`==> ${name} <==`, ...lines.map(({ at, text }) => `${at} ${text}`), ''].join('\n');

/** An app's colours are left out, and nothing that it writes moves the reader's cursor or begins a line. */
const visible = (text: string): string =>
  stripVTControlCharacters(text.replace(/\r$/, '')).replaceAll(/(?!\t)[\p{Cc}\u2028\u2029]/gu, '\u{FFFD}');
