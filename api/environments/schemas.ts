import { z } from '@hono/zod-openapi';
import { ZoneSpec, ZoneStatus } from '../../src/rules/products/kinds.ts';
import { ActionView } from '../http/views.ts';

export const ZoneView = z
  .object({
    kind: z.literal('Zone'),
    name: z.string(),
    org: z.string(),
    product: z.string(),
    spec: ZoneSpec.optional().openapi({ description: 'Absent while the zone is being removed.' }),
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
    notReadyReason: z.string().optional(),
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
    mountPath: z.string().optional().openapi({
      description:
        'Path in the app’s containers. Absent for a claim that a removed volume left; delete such claims manually.',
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
const ZoneResourcesView = z
  .object({
    replicas: z.int(),
    cpu: z.string().optional(),
    memory: z.string().optional(),
    memoryLimit: z.string().optional(),
  })
  .openapi('ZoneResources', {
    description: 'Number of replicas, and the requests and limits of each pod. Absent values use the chart’s defaults.',
  });

export const ZoneDetailsView = ZoneView.extend({
  pods: z.array(PodView),
  volumes: z.array(VolumeView),
  events: z.array(EventView).openapi({ description: 'Newest first, at most 50.' }),
  resources: ZoneResourcesView,
  notRunningReason: z
    .string()
    .optional()
    .openapi({ description: 'Why no pod of the zone accepts requests; absent if one does.' }),
}).openapi('ZoneDetails');

const PointView = z
  .object({
    at: z.string(),
    cpuCores: z.number().optional(),
    memoryBytes: z.number().optional(),
    receivedBytesPerSecond: z.number().optional(),
    sentBytesPerSecond: z.number().optional(),
  })
  .openapi('UsagePoint', { description: 'Values that were not measured at that time are absent.' });
export const ZoneMetricsView = z
  .object({
    from: z.string(),
    to: z.string(),
    stepSeconds: z.int(),
    pods: z.array(z.object({ name: z.string(), points: z.array(PointView) })),
    cpuRequestCores: z.number().optional().openapi({ description: 'CPU request of each pod.' }),
    memoryLimitBytes: z.number().optional().openapi({ description: 'Memory limit of each pod.' }),
  })
  .openapi('ZoneMetrics');

export const ZoneLogsView = z
  .object({
    pods: z.array(z.object({ name: z.string(), lines: z.array(z.object({ at: z.string(), text: z.string() })) })),
    notRunningReason: z.string().optional(),
  })
  .openapi('ZoneLogs');
