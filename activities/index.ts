import { atBoundary } from './at-boundary.ts';
import { type AgentDeps, createAgentActivities } from './agents.ts';
import { type CatalogDeps, createCatalogActivities } from './catalog.ts';
import { type ChangeDeps, createChangeActivities } from './changes.ts';
import { createDomainActivities, type DomainDeps } from './domains.ts';
import { type EnvironmentDeps, createEnvironmentActivities } from './environments.ts';
import { createIntakeActivities, type IntakeDeps } from './intake.ts';
import { createLogoActivities, type LogoDeps } from './logos.ts';
import { createReconciliationActivities, type ReconciliationDeps } from './reconciliation.ts';
import { createScreenshotActivities, type ScreenshotDeps } from './screenshots.ts';
import { type ReleaseDeps, createReleaseActivities } from './releases.ts';
import { createReportActivities, type ReportDeps } from './reports.ts';
import { createSchedulingActivities, type SchedulingDeps } from './scheduling.ts';

export type ActivityDeps = AgentDeps &
  CatalogDeps &
  ChangeDeps &
  DomainDeps &
  EnvironmentDeps &
  IntakeDeps &
  LogoDeps &
  ReconciliationDeps &
  ReleaseDeps &
  ReportDeps &
  SchedulingDeps &
  ScreenshotDeps;

/** Everything the workflows may ask of the world; names are unique in the whole worker. */
export function createActivities(deps: ActivityDeps) {
  return atBoundary({
    ...createAgentActivities(deps),
    ...createCatalogActivities(deps),
    ...createChangeActivities(deps),
    ...createDomainActivities(deps),
    ...createEnvironmentActivities(deps),
    ...createIntakeActivities(deps),
    ...createLogoActivities(deps),
    ...createReconciliationActivities(deps),
    ...createReleaseActivities(deps),
    ...createReportActivities(deps),
    ...createScreenshotActivities(deps),
    ...createSchedulingActivities(deps),
  });
}

export type Activities = ReturnType<typeof createActivities>;
