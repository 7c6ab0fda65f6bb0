import { z } from 'zod';
import { CostUsd } from '../agents/kinds.ts';
import { NameLabel, RepoName, Timestamp } from '../names.ts';
import { Screenshot } from '../releases/kinds.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

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

export const OrganizationSpec = z.strictObject({
  displayName: z.string().max(100).optional(),
  /** The account on the code host that holds the org's repos. */
  codehostAccount: z.string().min(1).max(100),
  /** The repo that says what runs in each zone; `<codehostAccount>/gitops` by default. */
  gitopsRepo: RepoName,
  agents: AgentLimits.optional(),
});
export const OrganizationKind = defineResource({
  kind: 'Organization',
  plural: 'organizations',
  spec: OrganizationSpec,
  status: z.object({}),
});
export type Organization = ResourceOf<typeof OrganizationKind>;

export const ZoneSpec = z.strictObject({
  name: NameLabel,
  /** How Releases arrive. */
  arrival: z.enum(['automatic', 'after-approval']),
  /** The smoke check: what to ask, the zone's address by default, and how long the app may take to answer well. */
  verify: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }).optional(),
      withinSeconds: z.int().min(1).max(600).optional(),
    })
    .optional(),
  replicas: z.int().min(0).max(20).optional(),
});
export type ZoneSpec = z.infer<typeof ZoneSpec>;

export const ProductSpec = z.strictObject({
  displayName: z.string().max(100).optional(),
  description: z.string().max(2000).optional(),
  repos: z.array(RepoName).max(20),
  delivery: z.strictObject({
    /** The environments, in promotion order. */
    zones: z.array(ZoneSpec).min(1).max(10),
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
});
export const ProductKind = defineResource({
  kind: 'Product',
  plural: 'products',
  spec: ProductSpec,
  status: ProductStatus,
});
export type Product = ResourceOf<typeof ProductKind>;
