import { isSame } from './use-draft.ts';

/** Updates the fields of a form that has sent them to empty ones, unless the person has typed more since. */
export const clearSent =
  <T>(sent: T, empty: T) =>
  (latest: T): T =>
    isSame(latest, sent) ? empty : latest;
