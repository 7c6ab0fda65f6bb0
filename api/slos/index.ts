import type { ApiDeps, App } from '../deps.ts';
import { getSloBudget } from './get-slo-budget.ts';
import { listSloSummaries } from './list-slo-summaries.ts';
import { listSlos } from './list-slos.ts';

export function slos(app: App, deps: ApiDeps): void {
  listSlos(app, deps);
  listSloSummaries(app, deps);
  getSloBudget(app, deps);
}
