import { wrapActivities } from './wrap-activities.ts';
import { createDecisionActivities, type DecisionDeps } from './access/decision-activities.ts';
import { type AgentDeps, createAgentActivities } from './agents/agent-activities.ts';
import { type ProductDeps, createProductActivities } from './products/product-activities.ts';
import { type ChangeDeps, createChangeActivities } from './changes/change-activities.ts';
import { type BackupDeps, createBackupActivities } from './backups/backup-activities.ts';
import { createOpenWorkActivities } from './backups/open-work-activities.ts';
import { createRestoreActivities } from './backups/restore-activities.ts';
import { createDomainActivities, type DomainDeps } from './domains/domain-activities.ts';
import { createEnvironmentActivities } from './environments/environment-activities.ts';
import type { EnvironmentDeps } from './environments/environment-deps.ts';
import { createIntakeActivities, type IntakeDeps } from './intake/intake-activities.ts';
import { createLogoActivities, type LogoDeps } from './products/logo-activities.ts';
import { createReconciliationActivities, type ReconciliationDeps } from './intake/reconciliation-activities.ts';
import { createRegistryAccessActivities, type RegistryAccessDeps } from './environments/registry-access-activities.ts';
import {
  createRepositoryAccessActivities,
  type RepositoryAccessDeps,
} from './environments/repository-access-activities.ts';
import { createOrgActivities, type OrgDeps } from './orgs/org-activities.ts';
import { createScreenshotActivities, type ScreenshotDeps } from './environments/screenshot-activities.ts';
import { type ReleaseDeps, createReleaseActivities } from './releases/release-activities.ts';
import { createDraftActivities, type DraftDeps } from './changes/draft-activities.ts';
import { createScaffoldActivities, type ScaffoldDeps } from './products/scaffold-activities.ts';
import { createIncidentActivities, type IncidentDeps } from './incidents/incident-activities.ts';
import { createSloActivities, type SloDeps } from './slos/slo-activities.ts';
import { createSchedulingActivities, type SchedulingDeps } from './scheduling/scheduling-activities.ts';

export type ActivityDeps = AgentDeps &
  BackupDeps &
  DecisionDeps &
  ProductDeps &
  ChangeDeps &
  DomainDeps &
  EnvironmentDeps &
  IncidentDeps &
  IntakeDeps &
  LogoDeps &
  OrgDeps &
  ReconciliationDeps &
  ReleaseDeps &
  RegistryAccessDeps &
  RepositoryAccessDeps &
  DraftDeps &
  ScaffoldDeps &
  SchedulingDeps &
  SloDeps &
  ScreenshotDeps;

/** Creates all activities of the worker. */
export function createActivities(deps: ActivityDeps) {
  return wrapActivities({
    ...createAgentActivities(deps),
    ...createBackupActivities(deps),
    ...createDecisionActivities(deps),
    ...createProductActivities(deps),
    ...createChangeActivities(deps),
    ...createDomainActivities(deps),
    ...createEnvironmentActivities(deps),
    ...createIncidentActivities(deps),
    ...createIntakeActivities(deps),
    ...createLogoActivities(deps),
    ...createOpenWorkActivities(deps),
    ...createOrgActivities(deps),
    ...createReconciliationActivities(deps),
    ...createReleaseActivities(deps),
    ...createRegistryAccessActivities(deps),
    ...createRepositoryAccessActivities(deps),
    ...createRestoreActivities(deps),
    ...createDraftActivities(deps),
    ...createScaffoldActivities(deps),
    ...createScreenshotActivities(deps),
    ...createSchedulingActivities(deps),
    ...createSloActivities(deps),
  });
}

export type Activities = ReturnType<typeof createActivities>;
