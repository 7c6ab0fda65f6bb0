import { z } from 'zod';
import type { ZoneSpec } from '../catalog/kinds.ts';
import { hostOf } from '../domains/addresses.ts';
import { zoneAccesses } from './settings.ts';

/** The part of a zone's values file that people set. */
export const ZoneSettings = z.object({
  replicas: z.int(),
  /** Host names the app answers at: none where nobody from outside may open it. */
  ingress: z.object({ hosts: z.array(z.string()), access: z.enum(zoneAccesses) }),
  resources: z.object({
    requests: z.object({ cpu: z.string().exactOptional(), memory: z.string().exactOptional() }).exactOptional(),
    limits: z.object({ memory: z.string() }).exactOptional(),
  }),
  persistence: z.array(z.object({ name: z.string(), size: z.string(), mountPath: z.string() })),
  /** Pods that share a volume are replaced, not overlapped. */
  strategy: z.enum(['RollingUpdate', 'Recreate']),
});
export type ZoneSettings = z.infer<typeof ZoneSettings>;

/** A zone's values file in the gitops repo, as the chart reads it. */
export type ZoneValues = {
  image: { repository: string; digest: string };
  release: { name: string; version: string; commit: string };
} & ZoneSettings;

/** The settings of a zone that opens at its own address and at those that people gave it. */
export function zoneSettings(spec: ZoneSpec, address: string): ZoneSettings {
  const hosts = [new URL(address).hostname, ...(spec.addresses ?? []).map(hostOf)];
  const { cpu, memory, volumes = [], access = 'public', replicas = 1 } = spec;
  return {
    replicas,
    ingress: { hosts: access === 'none' ? [] : hosts, access },
    resources: {
      ...(cpu || memory ? { requests: { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) } } : {}),
      ...(memory ? { limits: { memory } } : {}),
    },
    persistence: volumes.map(({ name, size, path }) => ({ name, size, mountPath: path })),
    strategy: volumes.length > 0 ? 'Recreate' : 'RollingUpdate',
  };
}

/** Where the values file stands in the gitops repo. */
export const zoneValuesPath = (product: string, zone: string): string =>
  `products/${product}/zones/${zone}/values.yaml`;
export const chartPath = (product: string): string => `products/${product}/chart`;
