import type { ChangeSummary, Product } from '../../api/types.ts';
import { toState } from '../../parts/phase-state.ts';
import { toZoneState } from '../../parts/zone-chip.tsx';

const calm = ['done', 'working', 'idle'];

/** Returns true when something of a Product failed, is held back, or waits for a person. */
export function needsALook({ spec, status }: Product, lastChange: ChangeSummary | undefined): boolean {
  const states = spec.delivery.zones.map(
    ({ name }) => toZoneState(status?.zones?.find((zone) => zone.name === name)).state,
  );
  const change = toState(lastChange?.status?.phase ?? 'Pending');
  return status?.scaffold?.phase === 'Failed' || [...states, change].some((state) => !calm.includes(state));
}
