import type { InsideDestination } from '../../src/rules/network/allowed-inside.ts';
import { resolveHost } from '../../src/integrations/http/resolve-host.ts';
import { ssrfViolation } from '../../src/rules/environments/ssrf-violation.ts';

export type SiteScope = {
  /** The addresses that the service gives to the zone. */
  zoneUrls: string[];
  /** The destinations inside the network that the operator allows. */
  allowedInside: readonly InsideDestination[];
};

/** Resolves the host once, so that all later requests use the address that was checked. */
export async function resolveSite(
  url: string,
  scope: SiteScope,
): Promise<{ url: string; address: string } | { problem: string }> {
  const addresses = await resolveHost(new URL(url).hostname).catch(() => []);
  const problem = ssrfViolation({ url, resolvedAddresses: addresses, ...scope });
  const [address] = addresses;
  return problem === undefined && address !== undefined
    ? { url, address }
    : { problem: problem ?? `The host name of ${url} could not be resolved.` };
}
