import { z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { readZoneAddress } from '../../src/store/installation.ts';
import type { ApiDeps } from '../deps.ts';
import { zoneSignInPath } from './identify-browser.ts';
import { readZoneHosts, type ZoneHosts } from './zone-sessions.ts';

export const ZoneSignInQuery = z.strictObject({
  zone: NameLabel.describe('Name of the zone.'),
  to: z
    .url({ protocol: /^https?$/ })
    .max(4000)
    .openapi({ description: 'The URL in the zone to redirect to after sign-in.' }),
  browser: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .openapi({ description: 'Identifies the browser; the host of the zone adds it.' }),
});

/** Reads the zone and checks that the redirect URL is one of its own, so that the sign-in is not an open redirect. */
export async function resolveRedirect(
  deps: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  { zone: name, to }: z.infer<typeof ZoneSignInQuery>,
): Promise<{ zone: ZoneHosts; url: URL }> {
  const zone = await readZoneHosts(deps, name);
  const url = new URL(to);
  const ownUrl = new URL((await readZoneAddress(cachedReads(deps.store), deps.config.zoneAddress))(name));
  if (!zone.hosts.includes(url.hostname) || url.port !== ownUrl.port || url.protocol !== ownUrl.protocol)
    throw invalid(`The zone "${name}" is not served at ${url.origin}.`, [
      { pointer: '?to', detail: 'is not an address of the zone' },
    ]);
  return { zone, url };
}

/** Returns the URL at the host of the zone that identifies the browser and sends it back with the parameter `browser`. */
export function browserIdentificationUrl({ zone, url }: { zone: ZoneHosts; url: URL }): string {
  const identification = new URL(zoneSignInPath, url);
  identification.searchParams.set('zone', zone.name);
  identification.searchParams.set('to', url.href);
  return identification.href;
}
