import { createRoute, z } from '@hono/zod-openapi';
import { isGatePod } from '../../src/rules/environments/gate-pods.ts';
import { invalid } from '../../src/errors.ts';
import type { LogQuery, PodLog } from '../../src/integrations/telemetry/zone-telemetry.ts';
import type { Pod } from '../../src/kinds/kubernetes.ts';
import { RequestTimestamp } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { acceptedType } from '../http/negotiate.ts';
import { problems } from '../http/problem.ts';
import { decimal, json, ZoneParams } from '../http/views.ts';
import { ZoneLogsView } from './schemas.ts';
import { queryReadableLogs } from './query-readable-logs.ts';
import { readZoneRuntime } from './zone-details.ts';
import { getZoneView } from './zone.ts';

const LogsQuery = z.strictObject({
  tail: decimal({ min: 1, max: 2000 })
    .default(200)
    .openapi({ description: 'Maximum number of lines per pod.', default: 200 }),
  pod: z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, 'must be the name of a pod')
    .optional()
    .describe('Only the log of this pod.'),
  container: z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be the name of a container')
    .optional()
    .openapi({ description: 'Only the log of this container, instead of the app’s.', example: 'app' }),
  since: RequestTimestamp.optional().openapi({ description: 'Only entries after this time.' }),
  contains: z.string().max(500).optional().openapi({ description: 'Only lines that contain this text.' }),
  previous: z
    .enum(['true', 'false'])
    .optional()
    .openapi({ description: 'Logs from before the last restart instead of since then.' }),
});

const jsonLines = 'application/x-ndjson';

const route = createRoute({
  operationId: 'getZoneLogs',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/logs',
  tags: ['Zones'],
  summary: 'Get the logs of a zone',
  description:
    'Returns the last log lines of each pod. Terminal escape sequences are removed, and secrets of well-known forms are masked with `*`. With `Accept: application/x-ndjson`, returns one line as JSON per log line.',
  ...requireRole('viewer'),
  request: { params: ZoneParams, query: LogsQuery },
  responses: {
    200: {
      description:
        'Plain text with a heading per pod and a time on each line; JSON with `Accept: application/json`; JSON lines with `Accept: application/x-ndjson`',
      content: {
        'text/plain': { schema: z.string() },
        ...json(ZoneLogsView),
        [jsonLines]: {
          schema: z.string().openapi({
            description: 'One JSON object per log line with `pod`, `at` and `text`, by pod, oldest first.',
            example: '{"pod":"hello-rc-5d7f9c8b6-x2x4z","at":"2026-11-21T12:00:00.000Z","text":"ready"}\n',
          }),
        },
      },
    },
    ...problems(401, 403, 404, 422),
  },
});

export function getZoneLogs(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const query = c.req.valid('query');
    const view = await getZoneView(c, deps, c.req.valid('param'));
    const { namespaceState, pods: running, notRunningReason, cluster } = await readZoneRuntime(deps, view);
    if (query.pod !== undefined) assertPodInZone(running, query.pod);
    if (query.container !== undefined) assertContainerInZone(running, query.container);
    const logs =
      namespaceState === 'own' && cluster
        ? await queryReadableLogs(cluster.telemetry, view.name, toLogQuery(query))
        : [];
    const ofApp = logs.filter(({ pod }) => !isGatePod({ product: view.product, pod }));
    const pods = ofApp.map(toPodLogView);
    c.header('Cache-Control', 'no-store');
    const accepted = acceptedType(c, ['text/plain', 'application/json', jsonLines]);
    if (accepted === 'application/json') return c.json({ pods, notRunningReason }, 200);
    c.header('X-Content-Type-Options', 'nosniff');
    if (accepted === jsonLines) return c.text(formatJsonLines(pods), 200, { 'Content-Type': jsonLines });
    return c.text(
      pods.length > 0 ? pods.map(formatPodLog).join('\n') : `${notRunningReason ?? 'No pods are running.'}\n`,
      200,
    );
  });
}

function assertPodInZone(pods: Pod[], pod: string): void {
  const names = pods.map(({ metadata }) => metadata.name);
  if (names.includes(pod)) return;
  const detail = names.length > 0 ? `must be one of ${names.join(', ')}` : 'must be omitted: the zone has no pods';
  throw invalid(`The zone has no pod named "${pod}".`, [{ pointer: '?pod', detail }]);
}

function assertContainerInZone(pods: Pod[], container: string): void {
  const names = [...new Set(pods.flatMap(({ spec }) => spec.containers.map(({ name }) => name)))];
  if (names.includes(container)) return;
  const detail = names.length > 0 ? `must be one of ${names.join(', ')}` : 'must be omitted: the zone has no pods';
  throw invalid(`The zone has no container named "${container}".`, [{ pointer: '?container', detail }]);
}

const toLogQuery = ({ tail, pod, container, since, contains, previous }: z.infer<typeof LogsQuery>): LogQuery => ({
  tailLines: tail,
  previous: previous === 'true',
  ...(pod === undefined ? {} : { pod }),
  ...(container === undefined ? {} : { container }),
  ...(since === undefined ? {} : { since: new Date(since) }),
  ...(contains === undefined ? {} : { contains }),
});

type PodLogView = z.infer<typeof ZoneLogsView>['pods'][number];

const toPodLogView = ({ pod, lines, matches }: PodLog): PodLogView => ({
  name: pod,
  lines,
  ...(matches && { matches: { count: matches.count, complete: matches.isComplete } }),
});

const formatJsonLines = (pods: PodLogView[]): string =>
  pods.flatMap(({ name, lines }) => lines.map((line) => `${JSON.stringify({ pod: name, ...line })}\n`)).join('');

/** Each line starts with its time, so that no app output can imitate a heading. */
const formatPodLog = ({ name, lines }: PodLogView): string =>
  [`==> ${name} <==`, ...lines.map(({ at, text }) => `${at} ${text}`), ''].join('\n');
