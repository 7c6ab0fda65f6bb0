import type { ApiDeps, App } from '../deps.ts';
import { deleteLicense } from './delete-license.ts';
import { getLicense } from './get-license.ts';
import { putLicense } from './put-license.ts';

export function licensing(app: App, deps: ApiDeps): void {
  getLicense(app, deps);
  putLicense(app, deps);
  deleteLicense(app, deps);
}
