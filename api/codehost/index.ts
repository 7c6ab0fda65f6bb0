import type { ApiDeps, App } from '../deps.ts';
import { connectCodehost } from './connect-codehost.ts';
import { finishCodehostConnection } from './finish-codehost-connection.ts';
import { getCodehostConnection } from './get-codehost-connection.ts';

export function codehost(app: App, deps: ApiDeps): void {
  connectCodehost(app, deps);
  getCodehostConnection(app, deps);
  finishCodehostConnection(app, deps);
}
