import type { Schemas } from '../../api/generated/openapi.ts';
import type { ChangeSummary, Product } from '../../api/types.ts';
import { toState } from '../../parts/phase-state.ts';
import { toZoneState } from '../../parts/zone-chip.tsx';
import type { IncidentSummary } from './summarize-incidents.ts';

const calm = ['done', 'working', 'idle'];

/** Returns true when something of a Product failed, is held back, or waits for a person. */
export function needsALook(
  { spec, status }: Product,
  lastChange: ChangeSummary | undefined,
  { slos, incidents }: { slos: Schemas['SloSummary'] | undefined; incidents: IncidentSummary | undefined },
): boolean {
  const states = spec.delivery.zones.map(
    ({ name }) => toZoneState(status?.zones?.find((zone) => zone.name === name)).state,
  );
  const change = toState(lastChange?.status?.phase ?? 'Pending');
  if (incidents?.count || (slos && ['spent', 'burning'].includes(slos.state))) return true;
  return status?.scaffold?.phase === 'Failed' || [...states, change].some((state) => !calm.includes(state));
}
