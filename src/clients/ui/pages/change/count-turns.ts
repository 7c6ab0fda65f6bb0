import type { Change } from '../../api/types.ts';

/** Counts the turns of all agents of a Change. */
export const countTurns = ({ status }: Change): number =>
  (status?.steps ?? []).reduce((sum, { turns = 0 }) => sum + turns, 0);
