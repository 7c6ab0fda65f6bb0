import { z } from 'zod';
import { NameLabel } from '../names.ts';

export const zoneAccesses = ['signed-in', 'public', 'none'] as const;
export type ZoneAccess = (typeof zoneAccesses)[number];

/** Kubernetes' quantities, as far as they make sense here. */
export const CpuQuantity = z
  .string()
  .regex(/^([1-9]\d{0,5}m|(0|[1-9]\d{0,2})(\.\d{1,3})?)$/, 'must be cores ("0.5", "2") or thousandths of one ("250m")')
  .refine((text) => Number.parseFloat(text) > 0, 'must be more than nothing');
export const MemoryQuantity = z
  .string()
  .regex(/^[1-9]\d{0,6}(Ki|Mi|Gi|Ti|k|M|G|T)$/, 'must be a number of bytes with a unit, such as "256Mi" or "2Gi"');

export const VolumeSpec = z.strictObject({
  name: NameLabel,
  size: MemoryQuantity,
  /** Where the app sees it. */
  path: z
    .string()
    .max(200)
    .regex(/^(\/[\w.-]+)+$/, 'must be an absolute path of letters, digits, ".", "_" and "-"')
    .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), 'must not hold "." or ".."')
    .refine((path) => !/^\/(proc|sys|dev|etc|bin|sbin|lib\w*|usr)(\/|$)/.test(path), 'is a folder of the system'),
});
export type VolumeSpec = z.infer<typeof VolumeSpec>;

export type SettingError = { pointer: string; detail: string };

/** What the schema of a volume alone cannot see: two of one name, or one inside the other. */
export function volumeErrors(volumes: readonly VolumeSpec[], pointer: string): SettingError[] {
  return volumes.flatMap(({ name, path }, index) => {
    const earlier = volumes.slice(0, index);
    const errors: SettingError[] = [];
    if (earlier.some((volume) => volume.name === name))
      errors.push({ pointer: `${pointer}/${index}/name`, detail: 'is there twice' });
    const overlapping = earlier.find((volume) => isWithin(path, volume.path) || isWithin(volume.path, path));
    if (overlapping)
      errors.push({ pointer: `${pointer}/${index}/path`, detail: `overlaps with the volume "${overlapping.name}"` });
    return errors;
  });
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
