import { z } from '@hono/zod-openapi';
import { invalid, notFound } from '../../src/errors.ts';
import { NameLabel } from '../../src/rules/names.ts';
import type { ApiDeps } from '../deps.ts';
import { findZoneHosts, type ZoneHosts } from './zone-sessions.ts';

export const ZoneSignInQuery = z.strictObject({
  zone: NameLabel,
  to: z
    .url({ protocol: /^https?$/ })
    .max(4000)
    .openapi({ description: 'The URL in the zone to redirect to after sign-in.' }),
});

/** Finds the zone and checks that the redirect URL is one of its own, so that the sign-in is not an open redirect. */
export async function resolveRedirect(
  deps: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  { zone: name, to }: z.infer<typeof ZoneSignInQuery>,
): Promise<{ zone: ZoneHosts; url: URL }> {
  const zone = await findZoneHosts(deps, name);
  if (!zone) throw notFound('zone', name, 'this installation');
  const url = new URL(to);
  const ownUrl = new URL(deps.config.zoneAddress(name));
  if (!zone.hosts.includes(url.hostname) || url.port !== ownUrl.port || url.protocol !== ownUrl.protocol)
    throw invalid(`The zone "${name}" is not served at ${url.origin}.`, [
      { pointer: '?to', detail: 'is not an address of the zone' },
    ]);
  return { zone, url };
}
