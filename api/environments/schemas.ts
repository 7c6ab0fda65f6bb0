import { Timestamp } from '../../src/rules/names.ts';
import { z } from '@hono/zod-openapi';
import { WaitingFor } from '../../src/rules/changes/kinds.ts';
import { ZoneSpec, ZoneStatus } from '../../src/rules/products/kinds.ts';
import { ActionView } from '../http/views.ts';

export const ZoneView = z
  .object({
    kind: z.literal('Zone').describe('Kind of the resource.'),
    name: z.string().describe('Name of the zone.'),
    org: z.string().describe('Org of the Product.'),
    product: z.string().describe('Product that is delivered to the zone.'),
    spec: ZoneSpec.optional().openapi({ description: 'Absent while the zone is being removed.' }),
    status: ZoneStatus.describe('Observed state of the zone.'),
    waitingFor: WaitingFor.optional().describe('What the current promotion waits for; absent if it does not wait.'),
    offeredRelease: z
      .object({
        name: z.string().describe('Name of the Release.'),
        version: z.string().describe('Version of the Release.'),
      })
      .optional()
      .describe('Newest Release that can be promoted to a zone which runs nothing.'),
    resourceVersion: z.string().describe('Version of the Product that contains the zone. It changes with every write.'),
    generation: z.int().describe('Generation of the Product that contains the zone.'),
    createdAt: Timestamp.describe('Time at which the Product was created.'),
    actions: z.array(ActionView).describe('Operations on the zone, with whether the caller can perform them now.'),
  })
  .openapi('Zone');

const PodView = z
  .object({
    name: z.string().describe('Name of the pod.'),
    status: z.string().describe('State of the pod, as `kubectl get pods` shows it.'),
    ready: z.boolean().describe('Whether the pod accepts requests.'),
    notReadyReason: z.string().optional().describe('Why the pod accepts no requests.'),
    restarts: z.int().describe('Number of restarts of its containers.'),
    startedAt: Timestamp.optional().describe('Time at which the pod started.'),
    node: z.string().optional().describe('Node that runs the pod.'),
    image: z.string().optional().describe('Image of the app’s container.'),
    containers: z.array(z.string()).describe('Names of its containers, whose logs can be read.'),
  })
  .openapi('Pod');
const VolumeView = z
  .object({
    name: z.string().describe('Name of the volume.'),
    size: z.string().optional().describe('Size of the volume.'),
    phase: z.string().describe('Phase of the volume claim.'),
    mountPath: z.string().optional().openapi({
      description:
        'Path in the app’s containers. Absent for a claim that a removed volume left; delete such claims manually.',
    }),
  })
  .openapi('Volume');
const EventView = z
  .object({
    at: Timestamp.describe('Time of the last occurrence.'),
    warning: z.boolean().describe('Whether the event is a warning.'),
    reason: z.string().describe('Machine-readable reason of the event.'),
    message: z.string().describe('What happened.'),
    object: z.string().describe('Object that the event is about, as `<kind>/<name>`.'),
    count: z.int().describe('Number of occurrences.'),
  })
  .openapi('ClusterEvent');
const ZoneResourcesView = z
  .object({
    replicas: z.int().describe('Number of pods.'),
    cpu: z.string().optional().describe('CPU request of each pod.'),
    memory: z.string().optional().describe('Memory request of each pod.'),
    memoryLimit: z.string().optional().describe('Memory limit of each pod.'),
  })
  .openapi('ZoneResources', {
    description: 'Number of replicas, and the requests and limits of each pod. Absent values use the chart’s defaults.',
  });

export const ZoneDetailsView = ZoneView.extend({
  pods: z.array(PodView).describe('Pods of the zone.'),
  volumes: z.array(VolumeView).describe('Persistent volumes of the zone.'),
  events: z.array(EventView).openapi({ description: 'Newest first, at most 50.' }),
  resources: ZoneResourcesView,
  notRunningReason: z
    .string()
    .optional()
    .openapi({ description: 'Why no pod of the zone accepts requests; absent if one does.' }),
}).openapi('ZoneDetails');

const PointView = z
  .object({
    at: Timestamp.describe('Time of the measurement.'),
    cpuCores: z.number().optional().describe('CPU usage in cores.'),
    memoryBytes: z.number().optional().describe('Memory usage in bytes.'),
    receivedBytesPerSecond: z.number().optional().describe('Network traffic that the pod received.'),
    sentBytesPerSecond: z.number().optional().describe('Network traffic that the pod sent.'),
  })
  .openapi('UsagePoint', { description: 'Values that were not measured at that time are absent.' });
export const ZoneMetricsView = z
  .object({
    from: z.string().describe('Start of the time window.'),
    to: z.string().describe('End of the time window.'),
    stepSeconds: z.int().describe('Time between two points.'),
    pods: z
      .array(
        z.object({
          name: z.string().describe('Name of the pod.'),
          points: z.array(PointView).describe('Points of the series, oldest first.'),
        }),
      )
      .describe('One series per pod.'),
    cpuRequestCores: z.number().optional().openapi({ description: 'CPU request of each pod.' }),
    memoryLimitBytes: z.number().optional().openapi({ description: 'Memory limit of each pod.' }),
  })
  .openapi('ZoneMetrics');

export const ZoneLogsView = z
  .object({
    pods: z
      .array(
        z.object({
          name: z.string().describe('Name of the pod.'),
          lines: z
            .array(
              z.object({
                at: Timestamp.describe('Time of the line.'),
                text: z.string().describe('Text of the line.'),
              }),
            )
            .describe('Lines, oldest first.'),
          matches: z
            .object({
              count: z.int().describe('Number of lines that match the filters, also beyond `tail`.'),
              complete: z
                .boolean()
                .describe('Whether the whole log was searched, and not only its last 20,000 lines or 4 MiB.'),
            })
            .optional()
            .describe('Present with `contains`.'),
        }),
      )
      .describe('Log of each pod.'),
    notRunningReason: z.string().optional().describe('Why no pod of the zone accepts requests; absent if one does.'),
  })
  .openapi('ZoneLogs');
