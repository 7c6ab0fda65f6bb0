import type { Metadata, Resource, ResourceKind } from '../../src/rules/resource.ts';

type ResourceParts<Spec, Status> = { spec: Spec; status?: Status; metadata?: Partial<Metadata> };

/** Builds a resource as the store returns it. */
export function buildResource<Spec, Status>(
  { apiVersion, kind }: ResourceKind<Spec, Status>,
  { spec, status, metadata }: ResourceParts<Spec, Status>,
): Resource<Spec, Status> {
  const base: Metadata = {
    name: 'any',
    namespace: 'org-acme',
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00.000Z',
  };
  const resource: Resource<Spec, Status> = { apiVersion, kind, metadata: { ...base, ...metadata }, spec };
  return status === undefined ? resource : { ...resource, status };
}
