import type { ApiDeps, App } from '../deps.ts';
import { approveDeviceSignIn } from './approve-device-sign-in.ts';
import { denyDeviceSignIn } from './deny-device-sign-in.ts';
import { getDeviceSignIn } from './get-device-sign-in.ts';
import { redeemDeviceCode } from './redeem-device-code.ts';
import { startDeviceSignIn } from './start-device-sign-in.ts';

export function deviceSignIn(app: App, deps: ApiDeps): void {
  startDeviceSignIn(app, deps);
  redeemDeviceCode(app, deps);
  getDeviceSignIn(app, deps);
  approveDeviceSignIn(app, deps);
  denyDeviceSignIn(app, deps);
}
