import type { ApiDeps, App } from '../deps.ts';
import { createRootUser } from './create-root-user.ts';
import { getSetup } from './get-setup.ts';
import { getStatus } from './get-status.ts';
import { getUsage } from './get-usage.ts';

export function installation(app: App, deps: ApiDeps): void {
  getSetup(app, deps);
  createRootUser(app, deps);
  getStatus(app, deps);
  getUsage(app, deps);
}
