import { accessRoute } from './access/route.ts';
import { auditRoute, installationAuditRoute } from './audit/route.ts';
import { backupsRoute } from './backups/route.ts';
import { cloudAccountsRoute } from './cloud-accounts/route.ts';
import { clustersRoute } from './clusters/route.ts';
import { codehostRoute } from './codehost/route.ts';
import { costsRoute } from './costs/route.ts';
import { deliveriesRoute } from './deliveries/route.ts';
import { generalRoute } from './general/route.ts';
import { licenseRoute } from './license/route.ts';
import { installRoute, orgsRoute, usersRoute } from './install/route.ts';
import { modelsRoute } from './models/route.ts';
import { orgSettings, ownSettings } from './parents.ts';
import { registriesRoute } from './registries/route.ts';
import { roleRoute, rolesRoute } from './roles/route.ts';
import { schedulingRoute } from './scheduling/route.ts';
import { accountRoute } from './account/route.ts';
import { tokensRoute } from './tokens/route.ts';
import { workflowRoute, workflowsRoute } from './workflows/route.ts';

/** The settings of an org, of the person and of the installation. */
export const settingsRoutes = [
  orgSettings.addChildren([
    generalRoute,
    accessRoute,
    codehostRoute,
    deliveriesRoute,
    modelsRoute,
    rolesRoute,
    roleRoute,
    workflowsRoute,
    workflowRoute,
    schedulingRoute,
    costsRoute,
    registriesRoute,
    cloudAccountsRoute,
    auditRoute,
  ]),
  ownSettings.addChildren([
    accountRoute,
    installRoute,
    licenseRoute,
    tokensRoute,
    usersRoute,
    orgsRoute,
    backupsRoute,
    clustersRoute,
    installationAuditRoute,
  ]),
] as const;
