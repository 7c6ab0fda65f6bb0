import { z } from 'zod';
import type { FieldError } from '../../errors.ts';
import { NameLabel } from '../names.ts';
import { parseQuantity } from './parse-quantity.ts';

export const zoneAccesses = ['signed-in', 'public', 'none'] as const;
export type ZoneAccess = (typeof zoneAccesses)[number];

/** The subset of Kubernetes quantities that zones accept. */
export const CpuQuantity = z
  .string()
  .regex(/^([1-9]\d{0,5}m|(0|[1-9]\d{0,2})(\.\d{1,3})?)$/, {
    error: 'must be cores ("0.5", "2") or millicores ("250m")',
    abort: true,
  })
  .refine((text) => Number.parseFloat(text) > 0, 'must be greater than zero');
export const MemoryQuantity = z
  .string()
  .regex(/^[1-9]\d{0,6}(Ki|Mi|Gi|Ti|k|M|G|T)$/, 'must be a number of bytes with a unit, such as "256Mi" or "2Gi"');

export const VolumeSpec = z.strictObject({
  name: NameLabel.describe('Name of the volume, unique in the zone.'),
  size: MemoryQuantity.describe('Size of the volume, such as `1Gi`.'),
  path: z
    .string()
    .max(200)
    .regex(/^(\/[\w.-]+)+$/, 'must be an absolute path of letters, digits, ".", "_" and "-"')
    .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), 'must not contain "." or ".."')
    .refine((path) => !/^\/(proc|sys|dev|etc|bin|sbin|lib\w*|usr)(\/|$)/.test(path), 'must not be a system folder')
    .describe('Mount path in the app’s container.'),
});
export type VolumeSpec = z.infer<typeof VolumeSpec>;

/** The part of a zone's values file that people configure. */
export const ZoneSettings = z.object({
  replicas: z.int().describe('Number of pods.'),
  cluster: z.string().optional().describe('Workload cluster of the zone; absent for the cluster of the service.'),
  ingress: z
    .object({
      hosts: z.array(z.string()).describe('Host names of the app; empty when the zone has no access from outside.'),
      access: z.enum(zoneAccesses).describe('Who may open the app.'),
    })
    .describe('Access to the app.'),
  resources: z
    .object({
      requests: z
        .object({
          cpu: z.string().optional().describe('CPU request.'),
          memory: z.string().optional().describe('Memory request.'),
        })
        .optional()
        .describe('Resources that are reserved for each pod.'),
      limits: z
        .object({ memory: z.string().describe('Memory limit.') })
        .optional()
        .describe('Resources that a pod cannot exceed.'),
    })
    .describe('CPU and memory of each pod; absent values use the defaults of the chart.'),
  persistence: z
    .array(
      z.object({
        name: z.string().describe('Name of the volume.'),
        size: z.string().describe('Size of the volume.'),
        mountPath: z.string().describe('Mount path in the app’s container.'),
      }),
    )
    .describe('Volumes of the app.'),
  strategy: z
    .enum(['RollingUpdate', 'Recreate'])
    .describe('How pods are replaced. Pods that share a volume must not overlap, so those zones use `Recreate`.'),
});
export type ZoneSettings = z.infer<typeof ZoneSettings>;

/**
 * Finds duplicate names and overlapping paths, which the schema of a single volume cannot detect, and volumes that would
 * become smaller: the cluster refuses that, and with it every later change of the zone.
 */
export function volumeViolations(
  volumes: readonly VolumeSpec[],
  pointer: string,
  applied: ZoneSettings['persistence'] = [],
): FieldError[] {
  return volumes.flatMap(({ name, path, size }, index) => {
    const earlier = volumes.slice(0, index);
    const errors: FieldError[] = [];
    if (earlier.some((volume) => volume.name === name))
      errors.push({ pointer: `${pointer}/${index}/name`, detail: 'is a duplicate' });
    const overlapping = earlier.find((volume) => isWithin(path, volume.path) || isWithin(volume.path, path));
    if (overlapping)
      errors.push({ pointer: `${pointer}/${index}/path`, detail: `overlaps with the volume "${overlapping.name}"` });
    const { size: current } = applied.find((volume) => volume.name === name) ?? {};
    if (current !== undefined && toBytes(size) < toBytes(current))
      errors.push({
        pointer: `${pointer}/${index}/size`,
        detail: `cannot become smaller than ${current}: add another volume, and remove this one`,
      });
    return errors;
  });
}

const toBytes = (size: string): number => parseQuantity(size) ?? 0;
const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
