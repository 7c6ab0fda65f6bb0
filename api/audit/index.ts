import type { ApiDeps, App } from '../deps.ts';
import { listAuditEntries } from './list-audit-entries.ts';
import { listInstallationAuditEntries } from './list-installation-audit-entries.ts';

export function audit(app: App, deps: ApiDeps): void {
  listAuditEntries(app, deps);
  listInstallationAuditEntries(app, deps);
}
