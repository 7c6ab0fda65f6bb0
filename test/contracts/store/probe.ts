import { expect } from 'vitest';
import { z } from 'zod';
import { defineResource, ownerReference, type Metadata, type ResourceOf } from '../../../src/rules/resource.ts';
import type { ErrorCode } from '../../../src/errors.ts';
import type { NewObject } from '../../../src/store/store.ts';
import type { OpenedStore } from '../store.ts';

/** The kind of the contract tests, so that they do not depend on a feature. */
export const ProbeKind = defineResource({
  kind: 'Probe',
  plural: 'probes',
  spec: z.strictObject({ product: z.string(), size: z.int(), on: z.boolean().optional() }),
  status: z.object({ count: z.int(), note: z.string().optional() }),
});
export type Probe = ResourceOf<typeof ProbeKind>;

export type StoreHarness = {
  getOpened: () => OpenedStore;
  /** Returns a unique namespace. */
  createNamespaceName: () => Promise<string>;
};

type ProbeOptions = Partial<Pick<Metadata, 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>> & {
  spec?: Partial<Probe['spec']>;
  owners?: Probe[];
};

export function buildProbe(
  namespace: string,
  name: string,
  { spec, owners, ...metadata }: ProbeOptions = {},
): NewObject<Probe> {
  return {
    metadata: { namespace, name, ...metadata, ...(owners && { ownerReferences: owners.map(ownerReference) }) },
    spec: { product: 'shop', size: 1, ...spec },
  };
}

export function withSize(probe: Probe, size: number): Probe {
  return { ...probe, spec: { ...probe.spec, size } };
}

export function toNames(probes: Probe[]): string[] {
  return probes.map(({ metadata }) => metadata.name);
}

/** Asserts that the call throws a ServiceError with this code, and returns its message and pointers. */
export async function expectError(
  code: ErrorCode,
  call: Promise<unknown>,
): Promise<{ message: string; pointers: string[] }> {
  const error: unknown = await call.then(
    () => new Error(`The call did not throw ${code}.`),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'ServiceError', code });
  const { message, errors } = error as { message: string; errors: { pointer: string }[] };
  return { message, pointers: errors.map(({ pointer }) => pointer) };
}
