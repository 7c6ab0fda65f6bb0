import { resolveHost } from '../../src/integrations/http/resolve-host.ts';
import { ssrfViolation } from '../../src/rules/environments/ssrf-violation.ts';

/** Resolves the host once, so that all later requests use the address that was checked. */
export async function resolveSite(
  url: string,
  zoneUrls: string[],
): Promise<{ url: string; address: string } | { problem: string }> {
  const addresses = await resolveHost(new URL(url).hostname).catch(() => []);
  const problem = ssrfViolation({ url, resolvedAddresses: addresses, zoneUrls });
  const [address] = addresses;
  return problem === undefined && address !== undefined
    ? { url, address }
    : { problem: problem ?? `The host name of ${url} could not be resolved.` };
}
