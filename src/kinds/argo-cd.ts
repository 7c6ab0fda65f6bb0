import type { Kind, StoredObject } from '../rules/resource.ts';

/** The Argo CD Application (argoproj.io/v1alpha1), with only the fields that the service uses. */
export type Application = StoredObject & {
  spec: {
    project: string;
    source: { repoURL: string; path: string; targetRevision: string; helm?: { valueFiles: string[] } };
    destination: { server?: string; name?: string; namespace: string };
    syncPolicy?: {
      automated?: { prune?: boolean; selfHeal?: boolean };
      retry?: {
        limit: number;
        /** Retries with the newest commit instead of the one that failed. */
        refresh?: boolean;
        backoff?: { duration: string; factor: number; maxDuration: string };
      };
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
    syncResult?: { revision: string; resources?: { kind: string; name: string; status?: string; message?: string }[] };
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

type GroupKind = { group: string; kind: string };
export type Destination = Application['spec']['destination'];

/** The Argo CD AppProject (argoproj.io/v1alpha1), with only the fields that the service uses. */
export type AppProject = StoredObject & {
  spec: {
    description?: string;
    sourceRepos: string[];
    /** The namespaces whose Applications may use the project. */
    sourceNamespaces: string[];
    destinations: Destination[];
    clusterResourceWhitelist: GroupKind[];
    namespaceResourceWhitelist: GroupKind[];
  };
};
export const AppProjectKind: Kind<AppProject> = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  plural: 'appprojects',
};

/** Selects the Secrets in the Argo CD namespace from which it reads the credentials of repositories. */
export const repositorySecretLabels = { 'argocd.argoproj.io/secret-type': 'repository' };

/** The cluster that Argo CD itself runs in. */
export const ownCluster = 'https://kubernetes.default.svc';

/** The value `normal` makes the controller read the repo at once; the controller then removes the annotation. */
export const refreshAnnotation = 'argocd.argoproj.io/refresh';
/** Makes the controller delete the deployed objects before the Application is removed. */
export const cascadeFinalizer = 'resources-finalizer.argocd.argoproj.io';
