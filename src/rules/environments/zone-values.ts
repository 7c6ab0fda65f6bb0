import { defined } from '../../defined.ts';
import type { ZoneSpec } from '../products/kinds.ts';
import { toHostName } from '../domains/addresses.ts';
import type { ZoneSettings } from './settings.ts';

/** The values file of a zone in the gitops repo, as the chart reads it. */
export type ZoneValues = {
  image: { repository: string; digest: string };
  release: { name: string; version: string; commit: string };
} & ZoneSettings;

type AddressFacts = {
  /** The address that the service assigns. */
  address: string;
  verifiedDomains: ReadonlySet<string>;
};

/**
 * Converts the spec of a zone to chart values. Hosts under domains that are not verified are left out: another org may
 * prove such a domain and serve the same host.
 */
export function toZoneSettings(spec: ZoneSpec, { address, verifiedDomains }: AddressFacts): ZoneSettings {
  const additional = (spec.addresses ?? []).filter(({ domain }) => verifiedDomains.has(domain));
  const hosts = [new URL(address).hostname, ...additional.map(toHostName)];
  const { cpu, memory, volumes = [], access = 'public', replicas = 1, cluster } = spec;
  return {
    replicas,
    ...(cluster !== undefined && { cluster }),
    ingress: { hosts: access === 'none' ? [] : hosts, access },
    resources: defined({
      requests: cpu || memory ? defined({ cpu, memory }) : undefined,
      limits: memory ? { memory } : undefined,
    }),
    persistence: volumes.map(({ name, size, path }) => ({ name, size, mountPath: path })),
    strategy: volumes.length > 0 ? 'Recreate' : 'RollingUpdate',
  };
}

/** The path of the values file in the gitops repo. */
export const zoneValuesPath = (product: string, zone: string): string =>
  `products/${product}/zones/${zone}/values.yaml`;
export const chartPath = (product: string): string => `products/${product}/chart`;
