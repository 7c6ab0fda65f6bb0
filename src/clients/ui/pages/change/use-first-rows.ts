import { useDeferredValue } from 'react';

/** About a screen of rows. */
const firstRows = 40;

/** The rows that the page begins with, up to the one that is needed; all others follow once these are on the screen. */
export function useFirstRows<Row>(rows: readonly Row[], needed = -1): readonly Row[] {
  return rows.slice(0, useDeferredValue(Infinity, Math.max(firstRows, needed + 1)));
}
