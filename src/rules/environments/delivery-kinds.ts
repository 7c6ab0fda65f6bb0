import type { Kind, StoredObject } from '../resource.ts';

export type Condition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
};

/** Shipwright's BuildRun (shipwright.io/v1beta1), with the build spec inline; only the fields the service uses. */
export type BuildRun = StoredObject & {
  spec: {
    /** Has the builder stop, and settle the BuildRun as failed. */
    state?: 'BuildRunCanceled';
    build: {
      spec: {
        source: { type: 'Git'; git: { url: string; revision: string; cloneSecret?: string } };
        strategy: { name: string; kind: 'ClusterBuildStrategy' };
        output: { image: string; pushSecret?: string };
      };
    };
  };
  status?: {
    conditions?: Condition[];
    output?: { digest?: string; size?: number };
    startTime?: string;
    completionTime?: string;
    failureDetails?: { reason?: string; message?: string };
  };
};
export const BuildRunKind: Kind<BuildRun> = {
  apiVersion: 'shipwright.io/v1beta1',
  kind: 'BuildRun',
  plural: 'buildruns',
};

/** Argo CD's Application (argoproj.io/v1alpha1); only the fields the service uses. */
export type Application = StoredObject & {
  spec: {
    project: string;
    source: { repoURL: string; path: string; targetRevision: string; helm?: { valueFiles: string[] } };
    destination: { server?: string; name?: string; namespace: string };
    syncPolicy?: {
      automated?: { prune?: boolean; selfHeal?: boolean };
      syncOptions?: string[];
      managedNamespaceMetadata?: { labels: Record<string, string> };
    };
  };
  status?: ApplicationStatus;
};
export type ApplicationStatus = {
  sync?: { status: 'Synced' | 'OutOfSync' | 'Unknown'; revision?: string };
  health?: { status: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended' | 'Missing' | 'Unknown'; message?: string };
  operationState?: {
    phase: 'Running' | 'Succeeded' | 'Failed' | 'Error' | 'Terminating';
    message?: string;
    startedAt: string;
    finishedAt?: string;
    syncResult?: { revision: string };
  };
  summary?: { images?: string[]; externalURLs?: string[] };
  resources?: { group?: string; kind: string; namespace?: string; name: string; status?: string }[];
  conditions?: { type: string; message: string; lastTransitionTime?: string }[];
  reconciledAt?: string;
};
export const ApplicationKind: Kind<Application> = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  plural: 'applications',
};

/** Set to `normal` to have the controller look at the repo at once; the controller takes it away again. */
export const refreshAnnotation = 'argocd.argoproj.io/refresh';
/** Has the controller delete what it deployed before the Application goes. */
export const cascadeFinalizer = 'resources-finalizer.argocd.argoproj.io';
