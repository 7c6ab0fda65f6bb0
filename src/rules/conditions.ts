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

export const Conditions = z.array(Condition).optional().describe('Findings about the resource.');

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

/**
 * The time at which the service began to apply the accepted spec. It is written together with the spec, and removed when
 * all that follows from the spec is done.
 */
export const applyingSinceAnnotation = 'service.delivery/applying-since';

export const isBeingApplied = ({ metadata }: StoredObject): boolean =>
  metadata.annotations?.[applyingSinceAnnotation] !== undefined;

/** Longer than a process takes to apply a spec. */
const applyingMaxMs = 60_000;

/** True when the process that began to apply the accepted spec has ended, or has failed. */
export const isApplyingInterrupted = (object: StoredObject, now: Date): boolean =>
  isBeingApplied(object) &&
  !(now.getTime() - Date.parse(object.metadata.annotations?.[applyingSinceAnnotation] ?? '') < applyingMaxMs);

type Judged = { status?: { conditions?: Condition[] | undefined } | undefined };

/** A rejected resource starts nothing. The condition of an accepted spec may be that of an earlier one for a moment. */
export const isRejected = (object: StoredObject & Judged): boolean =>
  !isReconciled(object) &&
  (object.status?.conditions ?? []).some(({ type, status }) => type === acceptedType && status === 'False');

type AcceptanceFinding = { rejection: string | undefined; generation: number; at: string };

/** Returns the conditions with the finding, or undefined when the finding is not new. */
export const withAcceptedCondition = (
  conditions: Condition[] | undefined,
  { rejection, ...finding }: AcceptanceFinding,
): Condition[] | undefined =>
  withCondition(conditions, {
    type: acceptedType,
    status: rejection === undefined ? 'True' : 'False',
    reason: rejection === undefined ? 'Accepted' : 'Rejected',
    message: rejection ?? 'The spec is valid and has been applied.',
    ...finding,
  });

type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'> & { generation: number; at: string };

/** Replaces the condition of a type. Returns undefined when the finding is not new. */
export function withCondition(
  conditions: Condition[] = [],
  { generation, at, ...finding }: Finding,
): Condition[] | undefined {
  const { type, status, message } = finding;
  const before = conditions.find((condition) => condition.type === type);
  if (before?.status === status && before.message === message && before.observedGeneration === generation)
    return undefined;
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : at;
  return [
    ...conditions.filter((condition) => condition.type !== type),
    { ...finding, observedGeneration: generation, lastTransitionTime },
  ];
}
