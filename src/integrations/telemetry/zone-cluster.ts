import type { Store } from '../../store/store.ts';
import type { ZoneTelemetry } from './zone-telemetry.ts';

export type ServiceResponse = { status: number; body: string };

/** A cluster that runs zones: what the service reads in their namespaces and creates, and how it reaches their apps. */
export type ZoneCluster = {
  objects: Pick<Store, 'create' | 'get' | 'find' | 'list'>;
  telemetry: ZoneTelemetry;
  /** Requests the root of a zone's app. Rejects when the app or the cluster does not respond. */
  requestService(target: { namespace: string; name: string }, signal: AbortSignal): Promise<ServiceResponse>;
};

/** The workload clusters that the service has access to. */
export type WorkloadClusters = {
  /** Returns undefined for a cluster that was not added, was removed, or has no usable kubeconfig. */
  find(name: string): Promise<ZoneCluster | undefined>;
};
