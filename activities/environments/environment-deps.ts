import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import type { WorkloadClusters } from '../../src/integrations/telemetry/zone-cluster.ts';
import type { DomainSettings } from '../../src/rules/domains/kinds.ts';
import type { NetworkSettings } from '../../src/rules/environments/network-policies.ts';
import type { ChartFiles } from '../../src/rules/environments/zone-chart.ts';
import type { InstallationImages } from '../../src/rules/registries/image-registry.ts';
import type { PromotableDeps } from './assert-promotable.ts';
import type { SiteScope } from './resolve-site.ts';

export type EnvironmentDeps = PromotableDeps &
  InstallationImages & {
    codehost: Codehost;
    zoneAddress: (zone: string) => string;
    domains: DomainSettings;
    zoneService: (product: string, zone: string) => string;
    allowedInside: SiteScope['allowedInside'];
    workloadClusters: WorkloadClusters;
    zoneChart: ChartFiles;
    argoCdNamespace: string;
    network: NetworkSettings;
    /** Whether a Gateway serves the zones, instead of an Ingress controller. */
    hasGateway?: boolean;
    /** The delay between the two reads that must both be healthy. */
    healthRecheckDelayMs: number;
    now: () => Date;
  };

export type ZoneRef = { org: string; product: string; zone: string };
