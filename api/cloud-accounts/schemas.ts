import { z } from '@hono/zod-openapi';
import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { type CloudAccount, CloudAccountKind, CloudAccountSpec } from '../../src/rules/cloud-accounts/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { toOrgName } from '../../src/rules/resource.ts';
import { toView, viewSchema } from '../http/views.ts';

export const NewCloudAccountBody = z.strictObject({
  name: NameLabel.describe('Name of the account in the org.'),
  spec: CloudAccountSpec.describe('Who the service is at the provider.'),
});

export const CloudAccountView = viewSchema(CloudAccountKind).openapi('CloudAccount');

export const toCloudAccountView = (account: CloudAccount, role: OrgRole | undefined) =>
  toView(
    account,
    toOrgName(account.metadata.namespace),
    actionsFor(role, [
      { name: 'checkCloudAccount', requiredRole: 'org-admin' },
      { name: 'replaceCloudAccount', requiredRole: 'org-admin' },
      { name: 'deleteCloudAccount', requiredRole: 'org-admin' },
    ]),
  );
