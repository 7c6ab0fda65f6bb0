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
