import type { ApiDeps, App } from '../deps.ts';
import { find } from './find.ts';

export function finding(app: App, deps: ApiDeps): void {
  find(app, deps);
}
