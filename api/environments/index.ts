import type { ApiDeps, App } from '../deps.ts';
import { addZone } from './add-zone.ts';
import { freezeZone } from './freeze-zone.ts';
import { getZone } from './get-zone.ts';
import { getZoneLogs } from './get-zone-logs.ts';
import { getZoneMetrics } from './get-zone-metrics.ts';
import { listZones } from './list-zones.ts';
import { promoteToZone } from './promote-to-zone.ts';
import { removeZone } from './remove-zone.ts';
import { unfreezeZone } from './unfreeze-zone.ts';

export function environments(app: App, deps: ApiDeps): void {
  listZones(app, deps);
  addZone(app, deps);
  getZone(app, deps);
  getZoneMetrics(app, deps);
  getZoneLogs(app, deps);
  promoteToZone(app, deps);
  freezeZone(app, deps);
  unfreezeZone(app, deps);
  removeZone(app, deps);
}
