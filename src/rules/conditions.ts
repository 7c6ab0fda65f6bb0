import { z } from 'zod';
import { Timestamp } from './names.ts';
import type { StoredObject } from './resource.ts';

/** A finding about a resource, in the form that Kubernetes tools read. */
export const Condition = z.object({
  type: z.string().describe('Type of the finding, such as `Accepted`.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the finding holds.'),
  reason: z.string().describe('Machine-readable reason of the status.'),
  message: z.string().describe('Reason in words.'),
  observedGeneration: z.int().describe('Generation of the resource that was checked.'),
  lastTransitionTime: Timestamp.describe('Time at which the status last changed.'),
});
export type Condition = z.infer<typeof Condition>;

/**
 * The generation whose spec is checked and whose names are reserved. The API sets it on each write, so a resource without
 * it was written by a client of the Kubernetes API, such as kubectl.
 */
export const acceptedGenerationAnnotation = 'service.delivery/accepted-generation';

export const isReconciled = ({ metadata }: StoredObject): boolean =>
  metadata.annotations?.[acceptedGenerationAnnotation] === String(metadata.generation);

/** False for a resource that a client of the Kubernetes API created, and that was not accepted since. */
export const isCreatedByService = ({ metadata }: StoredObject): boolean =>
  metadata.annotations?.[acceptedGenerationAnnotation] !== undefined;

const acceptedType = 'Accepted';

/** A rejected resource starts nothing. */
export const isRejected = ({ status }: { status?: { conditions?: Condition[] | undefined } | undefined }): boolean =>
  status?.conditions?.some((condition) => condition.type === acceptedType && condition.status === 'False') ?? false;

type AcceptanceFinding = { rejection: string | undefined; generation: number; at: string };

/** Returns the conditions with the finding, or undefined when the finding is not new. */
export function withAcceptedCondition(
  conditions: Condition[] = [],
  { rejection, generation, at }: AcceptanceFinding,
): Condition[] | undefined {
  const before = conditions.find(({ type }) => type === acceptedType);
  const status = rejection === undefined ? 'True' : 'False';
  const found = {
    type: acceptedType,
    status,
    reason: rejection === undefined ? 'Accepted' : 'Rejected',
    message: rejection ?? 'The spec is valid and has been applied.',
    observedGeneration: generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : at,
  } as const;
  if (before?.status === status && before.message === found.message && before.observedGeneration === generation)
    return undefined;
  return [...conditions.filter(({ type }) => type !== acceptedType), found];
}
