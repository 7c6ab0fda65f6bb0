import { atBoundary } from './at-boundary.ts';
import { type AgentDeps, createAgentActivities } from './agents.ts';
import { type CatalogDeps, createCatalogActivities } from './catalog.ts';
import { type ChangeDeps, createChangeActivities } from './changes.ts';
import { createDeliveryActivities, type DeliveryDeps } from './deliveries.ts';
import { type EnvironmentDeps, createEnvironmentActivities } from './environments.ts';
import { createLogoActivities, type LogoDeps } from './logos.ts';
import { createScreenshotActivities, type ScreenshotDeps } from './screenshots.ts';
import { type ReleaseDeps, createReleaseActivities } from './releases.ts';

export type ActivityDeps = AgentDeps &
  CatalogDeps &
  ChangeDeps &
  DeliveryDeps &
  EnvironmentDeps &
  LogoDeps &
  ReleaseDeps &
  ScreenshotDeps;

/** Everything the workflows may ask of the world; names are unique in the whole worker. */
export function createActivities(deps: ActivityDeps) {
  return atBoundary({
    ...createAgentActivities(deps),
    ...createCatalogActivities(deps),
    ...createChangeActivities(deps),
    ...createDeliveryActivities(deps),
    ...createEnvironmentActivities(deps),
    ...createLogoActivities(deps),
    ...createReleaseActivities(deps),
    ...createScreenshotActivities(deps),
  });
}

export type Activities = ReturnType<typeof createActivities>;
