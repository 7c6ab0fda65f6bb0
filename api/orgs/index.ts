import type { ApiDeps, App } from '../deps.ts';
import { createOrg } from './create-org.ts';
import { deleteOrg } from './delete-org.ts';
import { getOrg } from './get-org.ts';
import { listOrgs } from './list-orgs.ts';
import { putApprovals } from './put-approvals.ts';

export function orgs(app: App, deps: ApiDeps): void {
  listOrgs(app);
  createOrg(app, deps);
  getOrg(app, deps);
  deleteOrg(app, deps);
  putApprovals(app, deps);
}
