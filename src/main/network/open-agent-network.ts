import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { resolveHost } from '../../integrations/http/resolve-host.ts';
import { type OpenNetwork, startEgressProxy } from '../../integrations/network/egress-proxy.ts';
import { egressViolation } from '../../rules/network/egress-violation.ts';

/** Returns the network that the installation offers to commands of agents, or undefined if it offers none. */
export function openAgentNetwork(
  { agentNetwork, allowedInside }: Pick<Config, 'agentNetwork' | 'allowedInside'>,
  log: Pick<Logger, 'info'>,
): OpenNetwork | undefined {
  if (agentNetwork === 'never') return undefined;
  return async (labels) =>
    await startEgressProxy({
      resolve: resolveHost,
      judge: (destination) => egressViolation(allowedInside, destination),
      log: (record) => log.info({ from: 'network', ...labels, ...record }, 'agent network connection'),
    });
}
