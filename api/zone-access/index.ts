import type { ApiDeps, App } from '../deps.ts';
import { authorizeZoneRequest } from './authorize-zone-request.ts';
import { signInToZone } from './sign-in-to-zone.ts';
import { startZoneSignIn } from './start-zone-sign-in.ts';

export function zoneAccess(app: App, deps: ApiDeps): void {
  authorizeZoneRequest(app, deps);
  startZoneSignIn(app, deps);
  signInToZone(app, deps);
}
