import type { ApiDeps, App } from '../deps.ts';
import { checkDomain } from './check-domain.ts';
import { createDomain } from './create-domain.ts';
import { deleteDomain } from './delete-domain.ts';
import { getAddressAvailability } from './get-address-availability.ts';
import { getDomain } from './get-domain.ts';
import { listDomains } from './list-domains.ts';

export function domains(app: App, deps: ApiDeps): void {
  listDomains(app, deps);
  createDomain(app, deps);
  getDomain(app, deps);
  checkDomain(app, deps);
  deleteDomain(app, deps);
  getAddressAvailability(app, deps);
}
