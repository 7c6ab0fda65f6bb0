import type { ClusterEvent, PersistentVolumeClaim, Pod } from '../../rules/environments/cluster-kinds.ts';
import type { Application, BuildRun } from '../../rules/environments/delivery-kinds.ts';
import type { Kind } from '../../rules/resource.ts';

export const BuildRunKind: Kind<BuildRun> = {
  apiVersion: 'shipwright.io/v1beta1',
  kind: 'BuildRun',
  plural: 'buildruns',
};
export const ApplicationKind: Kind<Application> = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  plural: 'applications',
};

export const refreshAnnotation = 'argocd.argoproj.io/refresh';
export const cascadeFinalizer = 'resources-finalizer.argocd.argoproj.io';
export const PodKind: Kind<Pod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
export const ClusterEventKind: Kind<ClusterEvent> = { apiVersion: 'v1', kind: 'Event', plural: 'events' };
export const PersistentVolumeClaimKind: Kind<PersistentVolumeClaim> = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
};
