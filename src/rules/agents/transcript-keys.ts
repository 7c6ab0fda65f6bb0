import { userName } from '../access/user-name.ts';

/** Identifies one turn of a step; turns are numbered from 1 across all rounds. */
export type TurnRef = { uid: string; step: string; turn: number };

/** The parts of a turn. Each is written once, unless a person answers after the turn failed. */
export type TurnPart = 'prompt' | 'guidance' | 'response' | 'patch' | 'results';

/** The prefix of all blobs of a run. */
export const runPrefix = (uid: string): string => `runs/${uid}/`;

export const stepPrefix = (uid: string, step: string): string => `${runPrefix(uid)}${step}/`;

export const turnKey = ({ uid, step, turn }: TurnRef, part: TurnPart): string =>
  `${stepPrefix(uid, step)}${String(turn).padStart(4, '0')}/${part}`;

/**
 * The key of a person's guidance (plain text) for a turn. Each person has one, because the text is saved before the workflow
 * accepts the guidance: that of another person, whom the workflow refuses, must not take its place.
 */
export const guidanceKey = (turn: TurnRef, by: string): string => `${turnKey(turn, 'guidance')}/${userName(by)}`;

/** The key of an evidence file. It lets another worker restore the file if it continues the step. */
export const evidenceKey = ({ uid, step }: Pick<TurnRef, 'uid' | 'step'>, hash: string): string =>
  `${stepPrefix(uid, step)}evidence/${hash}`;
