import type { ApiDeps, App } from '../deps.ts';
import { connectCodehost } from './connect-codehost.ts';
import { createIssue } from './create-issue.ts';
import { createOrg } from './create-org.ts';
import { createProduct } from './create-product.ts';
import { deleteProduct } from './delete-product.ts';
import { finishCodehostConnection } from './finish-codehost-connection.ts';
import { getCodehostConnection } from './get-codehost-connection.ts';
import { getOrg } from './get-org.ts';
import { getProduct } from './get-product.ts';
import { labelIssue } from './label-issue.ts';
import { listIssues } from './list-issues.ts';
import { listOrgs } from './list-orgs.ts';
import { listProducts } from './list-products.ts';
import { listVersions } from './list-versions.ts';
import { putApprovals } from './put-approvals.ts';
import { replaceProduct } from './replace-product.ts';

export function catalog(app: App, deps: ApiDeps): void {
  listOrgs(app, deps);
  createOrg(app, deps);
  getOrg(app, deps);
  putApprovals(app, deps);
  connectCodehost(app, deps);
  getCodehostConnection(app, deps);
  finishCodehostConnection(app, deps);
  listProducts(app, deps);
  createProduct(app, deps);
  getProduct(app, deps);
  replaceProduct(app, deps);
  deleteProduct(app, deps);
  listVersions(app, deps);
  listIssues(app, deps);
  createIssue(app, deps);
  labelIssue(app, deps);
}
