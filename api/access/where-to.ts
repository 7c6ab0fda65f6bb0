import { z } from '@hono/zod-openapi';
import { invalid, notFound } from '../../src/errors.ts';
import { NameLabel } from '../../src/rules/names.ts';
import type { ApiDeps } from '../deps.ts';
import { type KnownZone, zoneNamed } from './zone-visits.ts';

export const PassQuery = z.strictObject({
  zone: NameLabel,
  to: z
    .url({ protocol: /^https?$/ })
    .max(4000)
    .openapi({ description: 'The address in the zone to go on to.' }),
});

/** The zone, and the address in it that the browser wants: never one that is somebody else's. */
export async function whereTo(
  deps: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  { zone: name, to: wanted }: z.infer<typeof PassQuery>,
): Promise<{ zone: KnownZone; to: URL }> {
  const zone = await zoneNamed(deps, name);
  if (!zone) throw notFound('zone', name, 'this installation');
  const to = new URL(wanted);
  const own = new URL(deps.config.zoneAddress(name));
  if (!zone.hosts.includes(to.hostname) || to.port !== own.port || to.protocol !== own.protocol)
    throw invalid(`"${name}" has no such address.`, [{ pointer: '?to', detail: 'is no address of the zone' }]);
  return { zone, to };
}
