import type { ApiDeps, App } from '../deps.ts';
import { addZone } from './add-zone.ts';
import { freezeZone } from './freeze-zone.ts';
import { getZone } from './get-zone.ts';
import { listZones } from './list-zones.ts';
import { promoteToZone } from './promote-to-zone.ts';
import { removeZone } from './remove-zone.ts';
import { unfreezeZone } from './unfreeze-zone.ts';

export function environments(app: App, deps: ApiDeps): void {
  listZones(app, deps);
  addZone(app, deps);
  getZone(app, deps);
  promoteToZone(app, deps);
  freezeZone(app, deps);
  unfreezeZone(app, deps);
  removeZone(app, deps);
}
