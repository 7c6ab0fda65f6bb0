import type { ApiDeps, App } from '../deps.ts';
import { checkInstallation } from './check-installation.ts';
import { createRootUser } from './create-root-user.ts';
import { deleteImageRegistry } from './delete-image-registry.ts';
import { getImageRegistry } from './get-image-registry.ts';
import { getInstallation } from './get-installation.ts';
import { getSetup } from './get-setup.ts';
import { getStatus } from './get-status.ts';
import { getUsage } from './get-usage.ts';
import { putImageRegistry } from './put-image-registry.ts';
import { putInstallation } from './put-installation.ts';

export function installation(app: App, deps: ApiDeps): void {
  getSetup(app, deps);
  createRootUser(app, deps);
  getStatus(app, deps);
  getUsage(app, deps);
  getInstallation(app, deps);
  checkInstallation(app, deps);
  putInstallation(app, deps);
  getImageRegistry(app, deps);
  putImageRegistry(app, deps);
  deleteImageRegistry(app, deps);
}
