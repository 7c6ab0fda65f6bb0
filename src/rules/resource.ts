import type { z } from 'zod';

export const apiGroup = 'service.delivery';
export const apiVersion = `${apiGroup}/v1`;

/** Holds the uid that a restored object had in the installation that was backed up, if the store could not keep it. */
export const restoredUidAnnotation = 'service.delivery/restored-uid';

/** Identifies the request that created an object, so that the request can be repeated after it was interrupted. */
export const requestAnnotation = 'service.delivery/request';

/** The installation's own namespace. */
export const systemNamespace = 'service-system';

export const orgNamespace = (org: string): string => `org-${org}`;

/** Returns the org that a namespace belongs to. */
export const toOrgName = (namespace: string): string => namespace.slice(orgNamespace('').length);

export type OwnerReference = { apiVersion: string; kind: string; name: string; uid: string };

export type Metadata = {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  /** Increases only when `spec` changes. */
  generation: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
};

/** Any object that the store can hold: the service's own kinds, and those of other systems (Secret, Application, BuildRun). */
export type StoredObject = { apiVersion: string; kind: string; metadata: Metadata };

/** True for an object that a finalizer keeps after its deletion was requested. */
export const isDeleting = ({ metadata }: Pick<StoredObject, 'metadata'>): boolean =>
  metadata.deletionTimestamp !== undefined;

export type Resource<Spec, Status> = StoredObject & { spec: Spec; status?: Status };

/** A kind of object, with the names by which the store addresses it. */
export type Kind<T extends StoredObject> = {
  apiVersion: string;
  kind: string;
  plural: string;
  /** Dotted paths of the fields that lists can select by. */
  selectableFields?: readonly string[];
  /** Carries T for the compiler; it is never set. */
  readonly object?: T;
};

/** The parts of a CRD that the schemas do not give: names, columns, defaults and validations. */
export type CrdOptions = {
  shortNames?: string[];
  printerColumns?: { name: string; path: string; type?: 'integer' | 'date' | 'boolean'; wide?: true }[];
  /** Values that the API server fills in when a spec leaves them out. */
  defaults?: Record<string, unknown>;
  /** Rules over the spec, in CEL. */
  validations?: { rule: string; message: string }[];
};

export type ResourceKind<Spec, Status> = Kind<Resource<Spec, Status>> & {
  specSchema: z.ZodType<Spec>;
  statusSchema: z.ZodType<Status>;
  crd: CrdOptions;
};

/** Any of the service's own kinds. */
export type AnyResourceKind = Kind<StoredObject> & { specSchema: z.ZodType; statusSchema: z.ZodType; crd: CrdOptions };

export type ResourceOf<K> = K extends ResourceKind<infer Spec, infer Status> ? Resource<Spec, Status> : never;

/** Defines one of the service's own kinds. Its schemas give the type, the validation, the OpenAPI schema and the CRD. */
export function defineResource<Spec, Status>(definition: {
  kind: string;
  plural: string;
  spec: z.ZodType<Spec>;
  status: z.ZodType<Status>;
  /** A CRD allows at most eight. */
  selectableFields?: readonly string[];
  crd?: CrdOptions;
}): ResourceKind<Spec, Status> {
  const { spec, status, crd = {}, ...names } = definition;
  return { apiVersion, ...names, specSchema: spec, statusSchema: status, crd };
}

export function ownerReference(owner: StoredObject): OwnerReference {
  const { apiVersion: version, kind, metadata } = owner;
  return { apiVersion: version, kind, name: metadata.name, uid: metadata.uid };
}

export const isOwnedBy = ({ metadata }: StoredObject, owner: StoredObject): boolean =>
  (metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.metadata.uid);
