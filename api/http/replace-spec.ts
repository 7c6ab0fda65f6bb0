import { isDeepStrictEqual } from 'node:util';
import { isServiceError } from '../../src/errors.ts';
import { isReconciled, acceptedGenerationAnnotation } from '../../src/rules/conditions.ts';
import type { Resource, ResourceKind } from '../../src/rules/resource.ts';
import type { Ref, Store } from '../../src/store/store.ts';
import { assertCurrent, type Precondition } from './preconditions.ts';

type Replacement<Spec, Status> = {
  ref: Ref;
  spec: Spec;
  precondition: Precondition;
  /** The mark of a spec from which something follows. That of an earlier request, which was interrupted, stays. */
  mark?: Record<string, string>;
  /** Returns the annotations to write with the spec, when they depend on the current one. */
  annotate?: (current: Resource<Spec, Status>) => Record<string, string>;
};

/** Replaces the spec; throws when it has changed since the caller read it. */
export async function replaceSpec<Spec, Status>(
  store: Store,
  kind: ResourceKind<Spec, Status>,
  { ref, spec, precondition, mark, annotate }: Replacement<Spec, Status>,
): Promise<Resource<Spec, Status>> {
  // Status updates change the resource version while a person edits, so a write with a current generation is repeated.
  for (let attempt = 1; ; attempt += 1) {
    const current = await store.get(kind, ref);
    assertCurrent(current, precondition);
    try {
      return await store.replace(
        kind,
        withAcceptedSpec(current, spec, { ...mark, ...(annotate?.(current) ?? current.metadata.annotations) }),
      );
    } catch (error) {
      if (!isServiceError(error, 'conflict') || attempt === 5) throw error;
    }
  }
}

/** Returns the resource with a spec that the caller has validated. */
export function withAcceptedSpec<Spec, Status>(
  current: Resource<Spec, Status>,
  spec: Spec,
  annotations = current.metadata.annotations,
): Resource<Spec, Status> {
  const metadata = { ...current.metadata, annotations: { ...annotations, ...acceptedAnnotation(current, spec) } };
  return { ...current, metadata, spec };
}

/** Marks the new generation as accepted when the current one was, because the caller has validated the new spec. */
function acceptedAnnotation(current: Resource<unknown, unknown>, spec: unknown): Record<string, string> {
  if (!isReconciled(current)) return {};
  const isChanged = !isDeepStrictEqual(JSON.parse(JSON.stringify(spec)), current.spec);
  return { [acceptedGenerationAnnotation]: String(current.metadata.generation + (isChanged ? 1 : 0)) };
}
