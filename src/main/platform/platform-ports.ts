import { assertPortFree } from '../process/ports.ts';

export type PlatformPorts = ReturnType<typeof assignPlatformPorts>;

/** Assigns the ports of a platform on one machine: ten consecutive ports that begin with the API's. */
export function assignPlatformPorts(api: number) {
  return {
    api,
    addresses: api + 1,
    codehost: api + 2,
    temporalUi: api + 3,
    temporal: api + 4,
    model: api + 5,
    dns: api + 6,
    services: api + 7,
    prometheus: api + 8,
    alertmanager: api + 9,
  };
}

const portPurposes = {
  api: 'the API',
  addresses: "the zones' addresses",
  codehost: 'the code host',
  model: 'the scripted model',
  dns: 'the DNS server of managed domains',
  services: "the zones' internal services",
} as const;

type PortSettings = { configuredBy: string; host: string; metricsPort: number | undefined };

/**
 * Skips the ports of Temporal, Prometheus and Alertmanager: they are checked after a server that a killed platform left
 * running has been stopped.
 */
export async function assertPortsFree(
  ports: PlatformPorts,
  { configuredBy, host, metricsPort }: PortSettings,
): Promise<void> {
  for (const [name, purpose] of Object.entries(portPurposes))
    await assertPortFree({ port: ports[name as keyof typeof portPurposes], purpose, configuredBy });
  await assertPortFree({ port: ports.api, purpose: portPurposes.api, configuredBy, host });
  if (metricsPort === undefined) return;
  if (Object.values(ports).includes(metricsPort))
    throw new Error(`METRICS_PORT is ${metricsPort}, which the platform uses itself. Set another.`);
  await assertPortFree({ port: metricsPort, purpose: 'the metrics', configuredBy: 'METRICS_PORT', host });
}
