import { z } from 'zod';
import { CostUsd } from '../agents/kinds.ts';
import { CpuQuantity, MemoryQuantity, VolumeSpec, zoneAccesses } from '../environments/settings.ts';
import { ZoneSettings } from '../environments/zone-values.ts';
import { FreezeStatus, HoldStatus, RemovalStatus, SettingsStatus } from '../environments/zone-state.ts';
import { NameLabel, RepoName, Timestamp } from '../names.ts';
import { Screenshot } from '../releases/kinds.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { Condition } from '../taken-up.ts';
import { isTimeZone } from '../scheduling/zone-clock.ts';

/** What the agents of an org may do and spend, whatever their AgentRoles say. */
export const AgentLimits = z.strictObject({
  /** AgentRoles may ask for the network; false when absent. */
  networkAllowed: z.boolean().optional(),
  /** Of all runs together, by the day of UTC. */
  costUsdPerDay: CostUsd.optional(),
  /** How many runs may start for one issue or pull request within an hour; 20 when absent. */
  runsPerTargetAndHour: z.int().min(1).max(1000).optional(),
});
export type AgentLimits = z.infer<typeof AgentLimits>;

export const ApprovalRules = z.strictObject({
  /** Whoever started a Change or a Release may not be the one who approves it; false when absent. */
  notByStarter: z.boolean(),
});

export const Scheduling = z.strictObject({
  /** Whether runs start by schedule; off until turned on. */
  enabled: z.boolean(),
  /** The IANA zone that schedules are read in; UTC when empty. */
  timeZone: z
    .string()
    .trim()
    .refine((name) => name === '' || isTimeZone(name), 'is no IANA time zone, such as Europe/Berlin; empty means UTC')
    .default(''),
});
export type Scheduling = z.infer<typeof Scheduling>;

export const OrganizationSpec = z.strictObject({
  displayName: z.string().max(100).optional(),
  /** The account on the code host that holds the org's repos. */
  codehostAccount: z.string().min(1).max(100),
  /** The repo that says what runs in each zone; `<codehostAccount>/gitops` by default. */
  gitopsRepo: RepoName,
  agents: AgentLimits.optional(),
  approvals: ApprovalRules.optional(),
  scheduling: Scheduling.optional(),
});
export const OrganizationKind = defineResource({
  kind: 'Organization',
  plural: 'organizations',
  spec: OrganizationSpec,
  status: z.object({}),
  kubectl: {
    shortNames: ['org', 'orgs'],
    columns: [
      { name: 'Account', path: '.spec.codehostAccount' },
      { name: 'GitOps repo', path: '.spec.gitopsRepo' },
    ],
  },
});
export type Organization = ResourceOf<typeof OrganizationKind>;

export const ZoneSpec = z.strictObject({
  name: NameLabel,
  /** Which of the installation's workload clusters it runs in; the service's own cluster when absent. It stays there. */
  cluster: NameLabel.optional(),
  /** How Releases arrive. */
  arrival: z.enum(['automatic', 'after-approval']),
  /** The smoke check: what to ask, the zone's address by default, and how long the app may take to answer well. */
  verify: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }).optional(),
      withinSeconds: z.int().min(1).max(600).optional(),
    })
    .optional(),
  /** Who can open it: people who can see the Product, anyone with the address (when absent), or nobody from outside. */
  access: z.enum(zoneAccesses).optional(),
  replicas: z.int().min(0).max(20).optional(),
  /** What each pod reserves; the chart's default when absent. */
  cpu: CpuQuantity.optional(),
  /** What each pod reserves, and its limit. */
  memory: MemoryQuantity.optional(),
  volumes: z.array(VolumeSpec).max(8).optional(),
  /** Where it answers besides its own address: under verified domains of the org, or the platform domain. */
  addresses: z
    .array(z.strictObject({ domain: z.string().min(1).max(253), name: z.string().max(63) }))
    .max(10)
    .optional(),
});
export type ZoneSpec = z.infer<typeof ZoneSpec>;

export const ProductSpec = z.strictObject({
  displayName: z.string().max(100).optional(),
  description: z.string().max(2000).optional(),
  repos: z.array(RepoName).max(20),
  delivery: z.strictObject({
    /** The environments, in promotion order. */
    zones: z.array(ZoneSpec).max(10),
  }),
});
export type ProductSpec = z.infer<typeof ProductSpec>;

export const ZoneStatus = z.object({
  name: z.string(),
  /** Where people open it. */
  address: z.string().optional(),
  /** What runs there now. */
  release: z.string().optional(),
  version: z.string().optional(),
  commit: z.string().optional(),
  digest: z.string().optional(),
  /** The Release on its way in, and how far it is. */
  arriving: z.object({ release: z.string(), version: z.string(), phase: z.string() }).optional(),
  healthyAt: Timestamp.optional(),
  verifiedAt: Timestamp.optional(),
  freeze: FreezeStatus.optional(),
  hold: HoldStatus.optional(),
  settings: SettingsStatus.optional(),
  /** The settings in its values file. */
  applied: ZoneSettings.optional(),
  removal: RemovalStatus.optional(),
  /** Of what runs there now. */
  screenshot: Screenshot.optional(),
});
export type ZoneStatus = z.infer<typeof ZoneStatus>;

/** The image in the Product's repo that stands for it. */
export const ProductLogo = z.object({
  repo: RepoName,
  path: z.string(),
  type: z.string(),
  commit: z.string(),
  pullRequest: z.object({ number: z.int(), url: z.string() }).optional(),
});
export type ProductLogo = z.infer<typeof ProductLogo>;

export const ProductStatus = z.object({
  zones: z.array(ZoneStatus).optional(),
  logo: ProductLogo.optional(),
  deletion: z.string().optional(),
  conditions: z.array(Condition).optional(),
});
export const ProductKind = defineResource({
  kind: 'Product',
  plural: 'products',
  spec: ProductSpec,
  status: ProductStatus,
  kubectl: {
    columns: [
      { name: 'Repo', path: '.spec.repos[0]' },
      { name: 'Runs', path: '.status.zones[-1:].version' },
      { name: 'In', path: '.status.zones[-1:].name' },
      { name: 'Accepted', path: '.status.conditions[?(@.type=="Accepted")].status' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
      { name: 'Description', path: '.spec.description', wide: true },
    ],
    // Its usual zones are named for it: the service adds them when it takes the Product up.
    defaults: { repos: [], delivery: { zones: [] } },
    rules: [
      {
        rule: 'self.delivery.zones.all(zone, self.delivery.zones.exists_one(other, other.name == zone.name))',
        message: 'each zone needs a name of its own',
      },
      {
        rule: "self.delivery.zones.all(zone, !zone.name.matches('^(org-|kube-|default$|service-system$)'))",
        message: 'a zone may not be named "default", nor begin with "org-", "kube-" or the service’s own name',
      },
      {
        rule: 'self.repos.all(repo, self.repos.exists_one(other, other == repo))',
        message: 'each repo may be there once',
      },
    ],
  },
});
export type Product = ResourceOf<typeof ProductKind>;
