import { resolveHost } from '../../src/integrations/http/resolve-host.ts';
import { siteProblem } from '../../src/rules/environments/judge-site.ts';

/** A URL with the one address of its host that is used from now on; or why it may not be opened. */
export async function findSite(
  url: string,
  own: string[],
): Promise<{ url: string; address: string } | { problem: string }> {
  const addresses = await resolveHost(new URL(url).hostname).catch(() => []);
  const problem = siteProblem({ url, addresses, own });
  const [address] = addresses;
  return problem === undefined && address !== undefined
    ? { url, address }
    : { problem: problem ?? `${url} is nowhere.` };
}
