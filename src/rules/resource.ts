import type { z } from 'zod';

export const group = 'service.delivery';
export const apiVersion = `${group}/v1`;

/** The installation's own namespace. */
export const systemNamespace = 'service-system';

export const orgNamespace = (org: string): string => `org-${org}`;

/** The org whose namespace that is. */
export const orgOf = (namespace: string): string => namespace.slice(orgNamespace('').length);

export type OwnerReference = { apiVersion: string; kind: string; name: string; uid: string };

export type Metadata = {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  /** Moves with `spec` only. */
  generation: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
};

/** Any object the store can hold: ours, and other systems' in their own schema (Secret, Application, BuildRun …). */
export type StoredObject = { apiVersion: string; kind: string; metadata: Metadata };

export type Resource<Spec, Status> = StoredObject & { spec: Spec; status?: Status };

/** A type of object, as the store addresses it. */
export type Kind<T extends StoredObject> = {
  apiVersion: string;
  kind: string;
  plural: string;
  /** Dotted paths of fields that lists often select by. */
  selectable?: readonly string[];
  /** Carries T for the compiler; never set. */
  readonly object?: T;
};

/** How `kubectl` calls a kind and shows it, and what the API server itself refuses of it. */
export type Kubectl = {
  shortNames?: string[];
  columns?: { name: string; path: string; type?: 'integer' | 'date' | 'boolean'; wide?: true }[];
  /** What the API server fills in where a spec given to it says nothing. */
  defaults?: Record<string, unknown>;
  /** Of the spec, in Kubernetes' expression language. */
  rules?: { rule: string; message: string }[];
};

export type ResourceKind<Spec, Status> = Kind<Resource<Spec, Status>> & {
  specSchema: z.ZodType<Spec>;
  statusSchema: z.ZodType<Status>;
  kubectl: Kubectl;
};

/** One of our own kinds, whichever it is. */
export type AnyResourceKind = Kind<StoredObject> & { specSchema: z.ZodType; statusSchema: z.ZodType; kubectl: Kubectl };

export type ResourceOf<K> = K extends ResourceKind<infer Spec, infer Status> ? Resource<Spec, Status> : never;

/** Defines one of our own kinds: its schemas give the type, the validation, the OpenAPI description and the CRD. */
export function defineResource<Spec, Status>(definition: {
  kind: string;
  plural: string;
  spec: z.ZodType<Spec>;
  status: z.ZodType<Status>;
  /** See `Kind`; eight at most. */
  selectable?: readonly string[];
  kubectl?: Kubectl;
}): ResourceKind<Spec, Status> {
  const { kind, plural, spec, status, selectable, kubectl = {} } = definition;
  return {
    apiVersion,
    kind,
    plural,
    ...(selectable && { selectable }),
    specSchema: spec,
    statusSchema: status,
    kubectl,
  };
}

export function ownerReference(owner: StoredObject): OwnerReference {
  const { apiVersion: version, kind, metadata } = owner;
  return { apiVersion: version, kind, name: metadata.name, uid: metadata.uid };
}
