import { atBoundary } from './at-boundary.ts';
import { type AgentDeps, createAgentActivities } from './agents.ts';
import { type CatalogDeps, createCatalogActivities } from './catalog.ts';
import { type ChangeDeps, createChangeActivities } from './changes.ts';
import { createDeliveryActivities, type DeliveryDeps } from './deliveries.ts';
import { createDomainActivities, type DomainDeps } from './domains.ts';
import { type EnvironmentDeps, createEnvironmentActivities } from './environments.ts';
import { type ReleaseDeps, createReleaseActivities } from './releases.ts';

export type ActivityDeps = AgentDeps &
  CatalogDeps &
  ChangeDeps &
  DeliveryDeps &
  DomainDeps &
  EnvironmentDeps &
  ReleaseDeps;

/** Everything the workflows may ask of the world; names are unique in the whole worker. */
export function createActivities(deps: ActivityDeps) {
  return atBoundary({
    ...createAgentActivities(deps),
    ...createCatalogActivities(deps),
    ...createChangeActivities(deps),
    ...createDeliveryActivities(deps),
    ...createDomainActivities(deps),
    ...createEnvironmentActivities(deps),
    ...createReleaseActivities(deps),
  });
}

export type Activities = ReturnType<typeof createActivities>;
