import type { ApiDeps, App } from '../deps.ts';
import { checkCloudAccount } from './check-cloud-account.ts';
import { createCloudAccount } from './create-cloud-account.ts';
import { deleteCloudAccount } from './delete-cloud-account.ts';
import { getCloudAccount } from './get-cloud-account.ts';
import { getCloudIdentity } from './get-cloud-identity.ts';
import { getCloudKeys } from './get-cloud-keys.ts';
import { getOpenIdConfiguration } from './get-open-id-configuration.ts';
import { listCloudAccounts } from './list-cloud-accounts.ts';
import { replaceCloudAccount } from './replace-cloud-account.ts';

export function cloudAccounts(app: App, deps: ApiDeps): void {
  getCloudIdentity(app, deps);
  getOpenIdConfiguration(app, deps);
  getCloudKeys(app, deps);
  listCloudAccounts(app);
  createCloudAccount(app, deps);
  getCloudAccount(app, deps);
  replaceCloudAccount(app, deps);
  deleteCloudAccount(app, deps);
  checkCloudAccount(app, deps);
}
