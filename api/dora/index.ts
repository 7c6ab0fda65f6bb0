import type { ApiDeps, App } from '../deps.ts';
import { createDoraIndex } from './dora-index.ts';
import { getOrgDora } from './get-org-dora.ts';
import { getProductDora } from './get-product-dora.ts';

export function dora(app: App, deps: ApiDeps): void {
  const index = createDoraIndex(deps);
  getProductDora(app, deps, index);
  getOrgDora(app, deps, index);
}
