import type { Zone } from '../../api/types.ts';
import { Mark } from '../../parts/state.tsx';
import { toZoneState } from '../../parts/zone-chip.tsx';
import styles from '../../parts/page.module.css';

/** Says that the decision was recorded, and then what the zone really does. */
export function RequestNotice({ zone, verb, version }: { zone: Zone; verb: string; version: string }) {
  const { state, words } = toZoneState(zone.status);
  return (
    <div className={styles['notice']} data-state={state} role="status">
      <Mark state={state} />
      <p>
        <b>{verb === 'reject' ? `${version} was rejected.` : `Promotion of ${version} requested.`}</b> {zone.name} now:{' '}
        {zone.status.version ?? 'nothing'}, {words}.
      </p>
    </div>
  );
}
