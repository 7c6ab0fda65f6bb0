import type { Kind, StoredObject } from '../resource.ts';
import type { Condition } from './delivery-kinds.ts';

type Quantities = { cpu?: string; memory?: string };

export type ContainerState = {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { exitCode: number; reason?: string; message?: string; startedAt?: string; finishedAt?: string };
};

/** Kubernetes' Pod (v1); only the fields the service uses. */
export type Pod = StoredObject & {
  spec: {
    nodeName?: string;
    containers: { name: string; image?: string; resources?: { requests?: Quantities; limits?: Quantities } }[];
  };
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    reason?: string;
    message?: string;
    startTime?: string;
    conditions?: Condition[];
    containerStatuses?: {
      name: string;
      image?: string;
      ready: boolean;
      restartCount: number;
      state?: ContainerState;
      lastState?: ContainerState;
    }[];
  };
};
export const PodKind: Kind<Pod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

/** Kubernetes' Event (v1), one for all that say the same; only the fields the service uses. */
export type ClusterEvent = StoredObject & {
  type?: 'Normal' | 'Warning';
  reason?: string;
  message?: string;
  involvedObject: { kind?: string; namespace?: string; name?: string; uid?: string };
  firstTimestamp?: string;
  lastTimestamp?: string;
  count?: number;
};
export const ClusterEventKind: Kind<ClusterEvent> = { apiVersion: 'v1', kind: 'Event', plural: 'events' };

/** Kubernetes' PersistentVolumeClaim (v1); only the fields the service uses. */
export type PersistentVolumeClaim = StoredObject & {
  spec: { accessModes?: string[]; resources?: { requests?: { storage?: string } } };
  status?: { phase?: 'Pending' | 'Bound' | 'Lost'; capacity?: { storage?: string } };
};
export const PersistentVolumeClaimKind: Kind<PersistentVolumeClaim> = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
};
