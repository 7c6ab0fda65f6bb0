import { z } from '@hono/zod-openapi';
import { ZoneSpec, ZoneStatus } from '../../src/rules/catalog/kinds.ts';
import { ActionView } from '../views.ts';

export const ZoneView = z
  .object({
    kind: z.literal('Zone'),
    name: z.string(),
    org: z.string(),
    product: z.string(),
    /** Absent once it is being removed. */
    spec: ZoneSpec.optional(),
    status: ZoneStatus,
    resourceVersion: z.string(),
    generation: z.int(),
    createdAt: z.string(),
    actions: z.array(ActionView),
  })
  .openapi('Zone');

const PodView = z
  .object({
    name: z.string(),
    status: z.string(),
    ready: z.boolean(),
    whyNotRunning: z.string().optional(),
    restarts: z.int(),
    startedAt: z.string().optional(),
    node: z.string().optional(),
    image: z.string().optional(),
  })
  .openapi('Pod');
const VolumeView = z
  .object({
    name: z.string(),
    size: z.string().optional(),
    phase: z.string(),
    path: z.string().optional().openapi({
      description: 'Where the app sees it. Without one it is what a removed volume left: its claim is deleted by hand.',
    }),
  })
  .openapi('Volume');
const EventView = z
  .object({
    at: z.string(),
    warning: z.boolean(),
    reason: z.string(),
    message: z.string(),
    object: z.string(),
    count: z.int(),
  })
  .openapi('ClusterEvent');
const ReservationsView = z
  .object({
    replicas: z.int(),
    cpu: z.string().optional(),
    memory: z.string().optional(),
    memoryLimit: z.string().optional(),
  })
  .openapi('Reservations', {
    description: 'Of each pod, as the zone runs with them; the chart’s default when absent.',
  });

/** A zone and what the cluster holds of it. */
export const ZoneDetailsView = ZoneView.extend({
  pods: z.array(PodView),
  volumes: z.array(VolumeView),
  events: z.array(EventView).openapi({ description: 'The newest first, 50 at most.' }),
  reservations: ReservationsView,
  notRunning: z.string().optional().openapi({ description: 'Why nothing of it takes requests, if so.' }),
}).openapi('ZoneDetails');

const PointView = z
  .object({
    at: z.string(),
    cpuCores: z.number().optional(),
    memoryBytes: z.number().optional(),
    receivedBytesPerSecond: z.number().optional(),
    sentBytesPerSecond: z.number().optional(),
  })
  .openapi('UsagePoint', { description: 'What was not measured at that time is absent.' });
export const ZoneMetricsView = z
  .object({
    from: z.string(),
    to: z.string(),
    stepSeconds: z.int(),
    pods: z.array(z.object({ name: z.string(), points: z.array(PointView) })),
    /** Lines across the charts, for each pod. */
    cpuReservationCores: z.number().optional(),
    memoryLimitBytes: z.number().optional(),
  })
  .openapi('ZoneMetrics');

export const ZoneLogsView = z
  .object({
    pods: z.array(z.object({ name: z.string(), lines: z.array(z.object({ at: z.string(), text: z.string() })) })),
    notRunning: z.string().optional(),
  })
  .openapi('ZoneLogs');
