import { createHash } from 'node:crypto';
import type { IncidentSpec } from './kinds.ts';

type Named = Pick<IncidentSpec, 'product' | 'zone'>;

/** Names the incident of an episode, so that every message about the episode creates the same one. */
export const alertIncidentName = (named: Named, alert: { fingerprint: string; startsAt: string }): string =>
  toName(named, { at: alert.startsAt, key: `${alert.fingerprint} ${Date.parse(alert.startsAt)}` });

/** Names an incident that a person opens; a repeated request has the same id. */
export const manualIncidentName = (named: Named, opening: { at: string; id: string }): string =>
  toName(named, { at: opening.at, key: opening.id });

/** The zone and the minute make the name readable, and the hash makes it unique. */
function toName({ product, zone }: Named, { at, key }: { at: string; key: string }): string {
  const minute = at.slice(5, 16).replaceAll(/[-:]/g, '').replace('T', '-');
  const id = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return `${zone ?? product}-${minute}-${id}`;
}
