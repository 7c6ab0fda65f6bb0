import type { ApiDeps, App } from '../deps.ts';
import { createIssue } from './create-issue.ts';
import { createProduct } from './create-product.ts';
import { deleteProduct } from './delete-product.ts';
import { getLogo } from './get-logo.ts';
import { getProduct } from './get-product.ts';
import { labelIssue } from './label-issue.ts';
import { listIssues } from './list-issues.ts';
import { listProducts } from './list-products.ts';
import { listTemplates } from './list-templates.ts';
import { listVersions } from './list-versions.ts';
import { putLogo } from './put-logo.ts';
import { replaceProduct } from './replace-product.ts';
import { retryScaffold } from './retry-scaffold.ts';
import { suggestLogos } from './suggest-logos.ts';
import { uploadArchive } from './upload-archive.ts';

export function products(app: App, deps: ApiDeps): void {
  listTemplates(app, deps);
  listProducts(app);
  uploadArchive(app, deps);
  createProduct(app, deps);
  getLogo(app, deps);
  getProduct(app, deps);
  replaceProduct(app, deps);
  deleteProduct(app, deps);
  retryScaffold(app, deps);
  putLogo(app, deps);
  suggestLogos(app, deps);
  listVersions(app);
  listIssues(app, deps);
  createIssue(app, deps);
  labelIssue(app, deps);
}
