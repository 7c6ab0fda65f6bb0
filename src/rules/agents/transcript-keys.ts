/** One turn of a step; turns count from 1 over all rounds. */
export type TurnRef = { uid: string; step: string; turn: number };

/** The parts of a turn, each written once: a transcript only grows. */
export type TurnPart = 'opening' | 'guidance' | 'answer' | 'patch' | 'results';

/** All that the blobs hold of a run. */
export const runPrefix = (uid: string): string => `runs/${uid}/`;

export const stepPrefix = (uid: string, step: string): string => `${runPrefix(uid)}${step}/`;

export const turnKey = ({ uid, step, turn }: TurnRef, part: TurnPart): string =>
  `${stepPrefix(uid, step)}${String(turn).padStart(4, '0')}/${part}`;

/** Where a person's guidance waits (plain text) for the turn that follows the `turns` the step has taken. */
export const guidanceKey = (uid: string, step: { name: string; turns?: number }): string =>
  turnKey({ uid, step: step.name, turn: (step.turns ?? 0) + 1 }, 'guidance');

/** An evidence file's bytes, for as long as the step may be taken up by another host. */
export const evidenceKey = ({ uid, step }: Pick<TurnRef, 'uid' | 'step'>, hash: string): string =>
  `${stepPrefix(uid, step)}evidence/${hash}`;
