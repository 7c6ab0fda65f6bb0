import type { Logger } from 'pino';
import type { OpenRegistry } from '../../emulators/cluster/install-packages.ts';
import { resolveHost } from '../../integrations/http/resolve-host.ts';
import { startEgressProxy } from '../../integrations/network/egress-proxy.ts';
import { registryEgressViolation } from '../../rules/network/egress-violation.ts';
import { readRegistrySettings, type RegistrySettings } from './read-registry-settings.ts';

/** Returns the network of builds, which reaches only the registry of this machine's npm. */
export function openRegistry(environment: NodeJS.ProcessEnv, log: Pick<Logger, 'info'>): OpenRegistry {
  let settings: Promise<RegistrySettings> | undefined;
  return async (labels) => {
    // The first build reads them, because most platforms start without building anything.
    const { url, host, port, upstreamProxy } = await (settings ??= readRegistrySettings(environment));
    const proxy = await startEgressProxy({
      resolve: resolveHost,
      judge: (destination) => registryEgressViolation({ host, port }, destination),
      upstreamProxy: (destination) =>
        destination.host === host && destination.port === port ? upstreamProxy : undefined,
      log: (record) => log.info({ from: 'network', ...labels, ...record }, 'build network connection'),
    });
    return { ...proxy, registryUrl: url };
  };
}
