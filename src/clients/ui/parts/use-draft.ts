import { useState } from 'react';

type Draft<T> = { base: T; version: string; value: T };

export type SettingsDraft<T> = ReturnType<typeof useDraft<T>>;

/**
 * The person's edit of settings that the server has. Updates from the server never overwrite it: `isOutdated` says
 * that another person has changed the same settings, and `version` is the one that the edit began with.
 */
export function useDraft<T>(current: T, currentVersion: string) {
  const [draft, setDraft] = useState<Draft<T>>();
  const isDirty = draft !== undefined && !isSame(draft.value, draft.base);
  const isOutdated = isDirty && !isSame(draft.base, current) && !isSame(draft.value, current);
  const value = isDirty ? draft.value : current;
  return {
    value,
    /** The value that the server has now. */
    current,
    /** The value that the edit began with, to tell what has changed. */
    base: isDirty ? draft.base : current,
    version: isOutdated ? draft.version : currentVersion,
    isDirty,
    isOutdated,
    set: (next: T): void =>
      setDraft(isDirty ? { ...draft, value: next } : { base: current, version: currentVersion, value: next }),
    discard: (): void => setDraft(undefined),
    /** Ends the edit that was sent; what the person has typed since stays, as an edit of what was saved. */
    settle: (sent: T, saved: { value: T; version: string }): void =>
      setDraft((latest) =>
        latest === undefined || isSame(latest.value, sent)
          ? undefined
          : { base: saved.value, version: saved.version, value: latest.value },
      ),
    /** Rebases the edit onto what another person has saved. */
    keepMine: (): void => setDraft({ base: current, version: currentVersion, value }),
  };
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
