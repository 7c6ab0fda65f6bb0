import { expect } from 'vitest';
import { z } from 'zod';
import { defineResource, ownerReference, type Metadata, type ResourceOf } from '../../../src/rules/resource.ts';
import type { ErrorCode } from '../../../src/errors.ts';
import type { New } from '../../../src/store/store.ts';
import type { OpenedStore } from '../store.ts';

/** The kind the contract works on, so that it depends on no feature. */
export const ProbeKind = defineResource({
  kind: 'Probe',
  plural: 'probes',
  spec: z.strictObject({ product: z.string(), size: z.int(), on: z.boolean().optional() }),
  status: z.object({ count: z.int(), note: z.string().optional() }),
});
export type Probe = ResourceOf<typeof ProbeKind>;

export type Harness = {
  opened: () => OpenedStore;
  /** A namespace that nobody else uses. */
  space: () => Promise<string>;
};

type Settings = Partial<Pick<Metadata, 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>> & {
  spec?: Partial<Probe['spec']>;
  owners?: Probe[];
};

export function aProbe(namespace: string, name: string, { spec, owners, ...metadata }: Settings = {}): New<Probe> {
  return {
    metadata: { namespace, name, ...metadata, ...(owners && { ownerReferences: owners.map(ownerReference) }) },
    spec: { product: 'shop', size: 1, ...spec },
  };
}

export function withSize(probe: Probe, size: number): Probe {
  return { ...probe, spec: { ...probe.spec, size } };
}

export function names(probes: Probe[]): string[] {
  return probes.map(({ metadata }) => metadata.name);
}

/** Resolves when the call is refused with that code, to what the refusal says. */
export async function refusal(
  code: ErrorCode,
  call: Promise<unknown>,
): Promise<{ message: string; pointers: string[] }> {
  const error: unknown = await call.then(
    () => new Error(`It was not refused as ${code}.`),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'ServiceError', code });
  const { message, errors } = error as { message: string; errors: { pointer: string }[] };
  return { message, pointers: errors.map(({ pointer }) => pointer) };
}
