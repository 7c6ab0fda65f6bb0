import type { Client } from '@temporalio/client';
import type { DomainSettings } from '../rules/domains/kinds.ts';
import type { AgentNetwork } from '../rules/network/agent-network-violation.ts';
import type { Quotas } from '../rules/quotas.ts';
import type { Store } from '../store/store.ts';

export type ReconcileDeps = {
  store: Store;
  temporal: Client;
  now: () => Date;
  config: {
    /** Returns the URL that a zone's app is served at. */
    zoneAddress: (zone: string) => string;
    domains: DomainSettings;
    /** The workload clusters of the operator; platform admins add others. */
    workloadClusters?: readonly string[];
    quotas: Quotas;
    /** The time for which Prometheus keeps metrics, which bounds the windows of SLOs. */
    metricsRetentionMs: number;
    agentNetwork: AgentNetwork;
  };
};
