import type { ApiDeps, App } from '../deps.ts';
import { putScheduling } from './put-scheduling.ts';

export function scheduling(app: App, deps: ApiDeps): void {
  putScheduling(app, deps);
}
