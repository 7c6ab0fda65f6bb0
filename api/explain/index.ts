import type { ApiDeps, App } from '../deps.ts';
import { explain } from './explain.ts';

export function explanations(app: App, deps: ApiDeps): void {
  explain(app, deps);
}
