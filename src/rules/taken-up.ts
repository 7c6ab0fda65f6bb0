import { z } from 'zod';
import { Timestamp } from './names.ts';
import type { StoredObject } from './resource.ts';

/** A finding about a resource, in the form that Kubernetes' own tools read. */
export const Condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  /** Of the resource, as it was when this was found. */
  observedGeneration: z.int(),
  lastTransitionTime: Timestamp,
});
export type Condition = z.infer<typeof Condition>;

/**
 * The generation that was checked, and whose names are claimed: the API writes it with what it has checked. What lies in
 * the store without it was written by somebody who does not go through the API.
 */
export const takenUpAnnotation = 'service.delivery/taken-up';

export const isTakenUp = ({ metadata }: StoredObject): boolean =>
  metadata.annotations?.[takenUpAnnotation] === String(metadata.generation);

/** Keeps a Product until its environments are down. */
export const environmentsFinalizer = 'service.delivery/environments';

const accepted = 'Accepted';

/** Nothing begins for what was refused. */
export const isRefused = ({ status }: { status?: { conditions?: Condition[] | undefined } | undefined }): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === accepted && is === 'False') ?? false;

type Finding = { refusal: string | undefined; generation: number; at: string };

/** The conditions with what was found; undefined when that is nothing new. */
export function withFinding(
  conditions: Condition[] = [],
  { refusal, generation, at }: Finding,
): Condition[] | undefined {
  const before = conditions.find(({ type }) => type === accepted);
  const status = refusal === undefined ? 'True' : 'False';
  const found = {
    type: accepted,
    status,
    reason: refusal === undefined ? 'TakenUp' : 'Refused',
    message: refusal ?? 'It is taken up as if it had come through the API.',
    observedGeneration: generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : at,
  } as const;
  if (before?.status === status && before.message === found.message && before.observedGeneration === generation)
    return undefined;
  return [...conditions.filter(({ type }) => type !== accepted), found];
}
