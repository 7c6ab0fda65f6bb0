import { z } from 'zod';
import { CpuQuantity, MemoryQuantity, VolumeSpec, ZoneSettings, zoneAccesses } from '../environments/settings.ts';
import { FreezeStatus, HoldStatus, RemovalStatus, SettingsStatus } from '../environments/zone-state.ts';
import { NameLabel, nameText, RepoName, Timestamp, PullRequestRef, ZoneName } from '../names.ts';
import { Failure } from '../changes/kinds.ts';
import { Screenshot } from '../releases/kinds.ts';
import { RefusedDecision } from '../access/refused-decision.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { ObservabilityStatus, SloSpec, slosPerProductMax } from '../slos/kinds.ts';
import { ProductScaffold, ProductSource } from './source.ts';
import { Conditions } from '../conditions.ts';

export const ZoneSpec = z.strictObject({
  name: ZoneName.describe('Name of the zone, unique in the installation because it is part of the zone’s host name.'),
  cluster: NameLabel.optional().describe(
    'Workload cluster of the zone, which cannot change; defaults to the cluster of the service.',
  ),
  promotionPolicy: z
    .enum(['automatic', 'after-approval'])
    .optional()
    .describe(
      'Whether new Releases are promoted automatically, or after a person has approved (the default for production).',
    ),
  verify: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .optional()
        .describe('URL to request; defaults to the zone’s address.'),
      timeoutSeconds: z.int().min(1).max(600).optional().describe('Time within which the app must respond.'),
    })
    .optional()
    .describe('Smoke check after each promotion.'),
  access: z
    .enum(zoneAccesses)
    .optional()
    .describe(
      'Access to the app: people who can see the Product (`signed-in`), anyone (`public`, the default), or no access from outside the cluster (`none`).',
    ),
  replicas: z.int().min(0).max(20).optional().describe('Number of pods; defaults to the value of the chart.'),
  cpu: CpuQuantity.optional().describe(
    'CPU request of each pod, in cores (`0.5`) or millicores (`250m`); defaults to the value of the chart.',
  ),
  memory: MemoryQuantity.optional().describe(
    'Memory request and limit of each pod, such as `256Mi`; defaults to the value of the chart.',
  ),
  volumes: z.array(VolumeSpec).max(8).optional().describe('Persistent volumes of the app.'),
  addresses: z
    .array(
      z.strictObject({
        domain: z.string().min(1).max(253).describe('Domain of the address.'),
        name: z.string().max(63).describe('Host label under the domain; empty for the domain itself.'),
      }),
    )
    .max(10)
    .optional()
    .describe('Additional addresses under verified domains of the org or under the platform domain.'),
});
export type ZoneSpec = z.infer<typeof ZoneSpec>;

export const zonesPerProductMax = 10;

export const ProductSpec = z.strictObject({
  displayName: nameText(100).optional().describe('Display name of the Product.'),
  description: z.string().max(2000).optional().describe('What the Product is for.'),
  source: ProductSource.optional(),
  repos: z.array(RepoName).max(20).describe('Repos with the Product’s code, as `<owner>/<repo>`.'),
  delivery: z
    .strictObject({
      zones: z.array(ZoneSpec).max(zonesPerProductMax).describe('Zones in promotion order.'),
      registry: NameLabel.optional().describe(
        'Registry of the org to which builds push the images of the Product, below its repository prefix; defaults to the registry of the installation. On one machine it has no effect.',
      ),
      releaseZones: z
        .array(ZoneName)
        .min(1)
        .max(zonesPerProductMax)
        .optional()
        .describe(
          'Zones whose users the Product serves, which SLOs, DORA metrics and the status page cover; defaults to the last zone.',
        ),
    })
    .describe('How Releases are delivered.'),
  slos: z.array(SloSpec).max(slosPerProductMax).optional().describe('Service level objectives of the Product.'),
  statusPage: z
    .strictObject({
      public: z.boolean().describe('Whether anyone can read the status page, or only people who are signed in.'),
      zones: z
        .array(ZoneName)
        .min(1)
        .max(zonesPerProductMax)
        .optional()
        .describe('Zones on the status page; defaults to the release zones.'),
    })
    .optional()
    .describe('Publication of the status page; only people who are signed in can read it if absent.'),
});
export type ProductSpec = z.infer<typeof ProductSpec>;

/** Whether the zone could be reached at its address when its Release was verified, and the certificate there. */
export const AddressCheck = z.object({
  url: z.string().describe('URL that was requested.'),
  reachable: z.boolean().describe('Whether the address responds.'),
  certificate: z.enum(['valid', 'invalid', 'none', 'unknown']).describe('State of the certificate at the address.'),
  message: z.string().describe('Result of the check.'),
  checkedAt: Timestamp.describe('Time of the check.'),
});
export type AddressCheck = z.infer<typeof AddressCheck>;

export const ZoneStatus = z.object({
  name: z.string().describe('Name of the zone.'),
  address: z.string().optional().describe('URL of the zone.'),
  release: z.string().optional().describe('Release that runs in the zone.'),
  version: z.string().optional().describe('Version that runs in the zone.'),
  commit: z.string().optional().describe('Commit that runs in the zone.'),
  digest: z.string().optional().describe('Image digest that runs in the zone.'),
  currentPromotion: z
    .object({
      release: z.string().describe('Name of the Release.'),
      version: z.string().describe('Version of the Release.'),
      phase: z.string().describe('Phase of the promotion.'),
    })
    .optional()
    .describe('Release that is being promoted.'),
  addressCheck: AddressCheck.optional().describe('Last check of the address, apart from the smoke check of the app.'),
  healthyAt: Timestamp.optional().describe('Time at which the deployment became healthy.'),
  verifiedAt: Timestamp.optional().describe('Time at which the smoke check succeeded.'),
  freeze: FreezeStatus.optional().describe('Freeze of the zone; absent if it is not frozen.'),
  hold: HoldStatus.optional().describe(
    'Hold after a rollback: automatic promotions wait until a person promotes the newest version.',
  ),
  settings: SettingsStatus.optional().describe('Progress of applying the zone’s settings.'),
  imageRepository: z
    .string()
    .optional()
    .describe('Image repository in the values file of the gitops repo, from which the zone pulls.'),
  appliedSettings: ZoneSettings.optional().describe('Settings in the values file of the gitops repo.'),
  removal: RemovalStatus.optional().describe('Progress of removing the zone; absent if it is not being removed.'),
  refusedDecision: RefusedDecision.optional().describe(
    'Last decision that was refused, because it was not made through the API.',
  ),
  failure: Failure.optional().describe('Failure of the last promotion.'),
  screenshot: Screenshot.optional().describe('Screenshot of the Release that runs.'),
});
export type ZoneStatus = z.infer<typeof ZoneStatus>;

/** The logo of the Product, which is a file in its repo. */
export const ProductLogo = z.object({
  repo: RepoName.describe('Repo of the file.'),
  path: z.string().describe('Path of the file in the repo.'),
  type: z.string().describe('Media type of the file.'),
  hash: z.string().describe('SHA-256 of the image.'),
  commit: z.string().describe('Commit that contains the file.'),
  pullRequest: PullRequestRef.optional().describe('Pull request that added the file.'),
});
export type ProductLogo = z.infer<typeof ProductLogo>;

export const ProductStatus = z.object({
  zones: z.array(ZoneStatus).optional().describe('Status of each zone.'),
  scaffold: ProductScaffold.optional(),
  logo: ProductLogo.optional().describe('Logo of the Product, which is a file in its repo.'),
  deletionMessage: z
    .string()
    .optional()
    .describe('Progress of the deletion; absent if the Product is not being deleted.'),
  deletedBy: z.string().optional().describe('E-mail address of the person who deleted the Product.'),
  observability: ObservabilityStatus.optional().describe('State of the alert rules of the SLOs.'),
  conditions: Conditions,
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
      {
        rule: 'has(self.source) == has(oldSelf.source) && (!has(self.source) || self.source == oldSelf.source)',
        message: 'source cannot change, because it says how the Product was made',
      },
      {
        rule: '!has(self.source) || has(self.source.template) != has(self.source.archive)',
        message: 'source must have either a template or an archive',
      },
    ],
  },
});
export type Product = ResourceOf<typeof ProductKind>;

/** Keeps a deleted Product until its zones are removed. */
export const environmentsFinalizer = 'service.delivery/environments';
