import type { ApiDeps, App } from '../deps.ts';
import { createActivityIndex } from './activity-index.ts';
import { getActivity } from './get-activity.ts';

export function activity(app: App, deps: ApiDeps): void {
  getActivity(app, deps, createActivityIndex(deps));
}
