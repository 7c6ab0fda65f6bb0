import { AgentRoleKind, AgentWorkflowKind, type AgentRole, type AgentWorkflow } from '../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { runLabel } from '../../src/rules/changes/run-names.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { IncidentKind, type Incident } from '../../src/rules/incidents/kinds.ts';
import { agentWorkflowLabel, DeliveryKind } from '../../src/rules/intake/kinds.ts';
import { ProductKind, type Product } from '../../src/rules/products/kinds.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import type { Kind, ResourceOf, StoredObject } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { toAgentRoleView, toAgentWorkflowView } from '../agents/schemas.ts';
import type { Viewer } from '../auth/viewer.ts';
import { buildRunSummaryView, buildRunView } from '../changes/run-view.ts';
import type { ApiDeps } from '../deps.ts';
import { getDomainView } from '../domains/domain.ts';
import { buildZoneViews } from '../environments/zone.ts';
import { toIncidentView } from '../incidents/incident.ts';
import { toProductView } from '../products/schemas.ts';
import { buildReleaseView } from '../releases/release-view.ts';

/** An item of a topic; `topicName` is the name that a topic selects it by. */
export type TopicItem = { name: string; topicName: string };
type ViewInput<T> = { object: T; name: string; viewer: Viewer; isDetailed: boolean };
type TopicKind<T extends StoredObject> = {
  kind: Kind<T>;
  /** The items that an object contains; by default the object itself. */
  listItems: (object: T) => TopicItem[];
  /** Other kinds that the views are computed from, with the name of the object that is affected. */
  related?: { kind: Kind<StoredObject>; findAffected: (object: StoredObject) => string | undefined }[];
  /** Builds the view that the list returns, or if detailed, that of the item. */
  buildView: (deps: { store: Store; config: ApiDeps['config'] }, input: ViewInput<T>) => Promise<object | undefined>;
};
export type AnyTopicKind = TopicKind<StoredObject>;

const listItself = ({ metadata: { name } }: StoredObject): TopicItem[] => [{ name, topicName: name }];

/** The kinds of topics that belong to an org, by their names in paths. */
export const topicKinds = {
  products: define<Product>({
    kind: ProductKind,
    listItems: listItself,
    buildView: async (_deps, { object, viewer }) => toProductView(object, viewer.role),
  }),
  zones: define<Product>({
    kind: ProductKind,
    listItems: ({ spec, status }) => {
      const names = [...spec.delivery.zones, ...(status?.zones ?? [])].map(({ name }) => name);
      return [...new Set(names)].map((name) => ({ name, topicName: name }));
    },
    // A zone that runs nothing offers the newest Release.
    related: [{ kind: ReleaseKind, findAffected: (release) => (release as Release).spec.product }],
    buildView: async (deps, { object, name, viewer }) =>
      (await buildZoneViews(deps, object, viewer)).find((zone) => zone.name === name),
  }),
  agentworkflowruns: define<AgentWorkflowRun>({
    kind: AgentWorkflowRunKind,
    listItems: listItself,
    related: [{ kind: ReleaseKind, findAffected: ({ metadata }) => metadata.labels?.[runLabel] }],
    buildView: async ({ store }, { object, viewer, isDetailed }) =>
      isDetailed ? await buildRunView(store, object, viewer) : await buildRunSummaryView(store, object, viewer),
  }),
  releases: define<Release>({
    kind: ReleaseKind,
    listItems: listItself,
    buildView: async ({ store }, { object, viewer }) => await buildReleaseView(store, object, viewer),
  }),
  incidents: define<Incident>({
    kind: IncidentKind,
    listItems: listItself,
    buildView: async (_deps, { object, viewer: { org, role } }) => toIncidentView(object, org, role),
  }),
  domains: define({
    kind: DomainKind,
    listItems: listItself,
    buildView: async (deps, { object, viewer: { org, role } }) =>
      await getDomainView(deps, { org, domain: object.metadata.name }, role),
  }),
  agentworkflows: define<AgentWorkflow>({
    kind: AgentWorkflowKind,
    listItems: listItself,
    buildView: async (_deps, { object, viewer }) => toAgentWorkflowView(object, viewer.role),
  }),
  agentroles: define<AgentRole>({
    kind: AgentRoleKind,
    listItems: listItself,
    buildView: async (_deps, { object, viewer }) => toAgentRoleView(object, viewer.role),
  }),
  deliveries: define<ResourceOf<typeof DeliveryKind>>({
    kind: DeliveryKind,
    listItems: ({ metadata }) => [{ name: metadata.name, topicName: metadata.labels?.[agentWorkflowLabel] ?? '' }],
    buildView: async (_deps, { object }) => object.spec,
  }),
};
export type TopicKindName = keyof typeof topicKinds;

/** The kinds of objects that the views of a topic are computed from. */
export function listKinds(name: TopicKindName): Kind<StoredObject>[] {
  const { kind, related = [] } = topicKinds[name];
  return [kind, ...related.map((one) => one.kind)];
}

/** A session handles objects of all kinds alike, and passes each only to its own kind. */
function define<T extends StoredObject>(topicKind: TopicKind<T>): AnyTopicKind {
  return topicKind as unknown as AnyTopicKind;
}
