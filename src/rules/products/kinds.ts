import { z } from 'zod';
import { CpuQuantity, MemoryQuantity, VolumeSpec, ZoneSettings, zoneAccesses } from '../environments/settings.ts';
import { FreezeStatus, HoldStatus, RemovalStatus, SettingsStatus } from '../environments/zone-state.ts';
import { NameLabel, RepoName, Timestamp } from '../names.ts';
import { Failure } from '../changes/kinds.ts';
import { Screenshot } from '../releases/kinds.ts';
import { RefusedDecision } from '../access/refused-decision.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { Condition } from '../conditions.ts';

export const ZoneSpec = z.strictObject({
  name: NameLabel,
  /** The workload cluster of the zone, which cannot change; defaults to the cluster of the service. */
  cluster: NameLabel.optional(),
  /** Promotes new Releases automatically, or after a person has approved. */
  promotionPolicy: z.enum(['automatic', 'after-approval']),
  /** The smoke check; `url` defaults to the zone's address. */
  verify: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }).optional(),
      timeoutSeconds: z.int().min(1).max(600).optional(),
    })
    .optional(),
  /** Access to the app: people who can see the Product, anyone (default), or no access from outside the cluster. */
  access: z.enum(zoneAccesses).optional(),
  replicas: z.int().min(0).max(20).optional(),
  /** The CPU request of each pod; defaults to the value of the chart. */
  cpu: CpuQuantity.optional(),
  /** The memory request and limit of each pod. */
  memory: MemoryQuantity.optional(),
  volumes: z.array(VolumeSpec).max(8).optional(),
  /** Additional addresses under verified domains of the org or under the platform domain. */
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
    /** The zones in promotion order. */
    zones: z.array(ZoneSpec).max(10),
  }),
});
export type ProductSpec = z.infer<typeof ProductSpec>;

export const ZoneStatus = z.object({
  name: z.string(),
  /** The URL of the zone. */
  address: z.string().optional(),
  /** The Release that runs in the zone. */
  release: z.string().optional(),
  version: z.string().optional(),
  commit: z.string().optional(),
  digest: z.string().optional(),
  /** The Release that is being promoted, and its phase. */
  currentPromotion: z.object({ release: z.string(), version: z.string(), phase: z.string() }).optional(),
  healthyAt: Timestamp.optional(),
  verifiedAt: Timestamp.optional(),
  freeze: FreezeStatus.optional(),
  hold: HoldStatus.optional(),
  settings: SettingsStatus.optional(),
  /** The settings in the values file of the gitops repo. */
  appliedSettings: ZoneSettings.optional(),
  removal: RemovalStatus.optional(),
  refusedDecision: RefusedDecision.optional(),
  /** The failure of the last promotion. */
  failure: Failure.optional(),
  /** A screenshot of the Release that runs. */
  screenshot: Screenshot.optional(),
});
export type ZoneStatus = z.infer<typeof ZoneStatus>;

/** The logo of the Product, which is a file in its repo. */
export const ProductLogo = z.object({
  repo: RepoName,
  path: z.string(),
  type: z.string(),
  /** The SHA-256 of the image. */
  hash: z.string(),
  commit: z.string(),
  pullRequest: z.object({ number: z.int(), url: z.string() }).optional(),
});
export type ProductLogo = z.infer<typeof ProductLogo>;

export const ProductStatus = z.object({
  zones: z.array(ZoneStatus).optional(),
  logo: ProductLogo.optional(),
  deletionMessage: z.string().optional(),
  conditions: z.array(Condition).optional(),
});
export const ProductKind = defineResource({
  kind: 'Product',
  plural: 'products',
  spec: ProductSpec,
  status: ProductStatus,
  crd: {
    printerColumns: [
      { name: 'Repo', path: '.spec.repos[0]' },
      { name: 'Version', path: '.status.zones[-1:].version' },
      { name: 'Zone', path: '.status.zones[-1:].name' },
      { name: 'Accepted', path: '.status.conditions[?(@.type=="Accepted")].status' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
      { name: 'Description', path: '.spec.description', wide: true },
    ],
    // The service adds the default zones when it reconciles the Product, because their names contain its name.
    defaults: { repos: [], delivery: { zones: [] } },
    validations: [
      {
        rule: 'self.delivery.zones.all(zone, self.delivery.zones.exists_one(other, other.name == zone.name))',
        message: 'zone names must be unique',
      },
      {
        rule: "self.delivery.zones.all(zone, !zone.name.matches('^(org-|kube-|default$|service-system$)'))",
        message: 'zone names must not be "default" or "service-system", nor begin with "org-" or "kube-"',
      },
      {
        rule: 'self.repos.all(repo, self.repos.exists_one(other, other == repo))',
        message: 'repos must be unique',
      },
    ],
  },
});
export type Product = ResourceOf<typeof ProductKind>;

/** Keeps a deleted Product until its environments are removed. */
export const environmentsFinalizer = 'service.delivery/environments';
