import { createContext, useContext, useEffect, useId, type ReactNode } from 'react';
import { announce } from '../shell/announcer.tsx';
import { Button } from './button.tsx';
import { findError, findListError } from './find-error.ts';
import { ProblemNotice } from './problem.tsx';
import { useBorrowedFocus } from './use-borrowed-focus.ts';
import { useFocusInvalid } from './use-focus-invalid.ts';
import styles from './form.module.css';

/** The error of a rejected request, which the fields below show. */
export const Rejection = createContext<Error | null>(null);

/** Finds the message of the API for the field at `pointer` of the request's body, or at one of several pointers. */
export function useFieldError(pointer: string | readonly string[] = []): string | undefined {
  const error = useContext(Rejection);
  return [pointer]
    .flat()
    .map((one) => findError(error, one))
    .find((one) => one !== undefined);
}

/** Finds the message of the API for the list at `pointer`, or for an item of it as a whole. */
export const useListError = (pointer: string): string | undefined => findListError(useContext(Rejection), pointer);

/**
 * A form whose fields show the errors of a rejected request at their `pointer`; the first of them gets the focus.
 * With `why`, it can only be read.
 */
export function Form({
  label,
  error,
  why,
  isOpened = false,
  onSubmit,
  foot,
  children,
}: {
  label?: string;
  error: Error | null;
  why?: string | undefined;
  /** Whether a person has opened the form, which then takes the focus until it closes. */
  isOpened?: boolean;
  onSubmit: () => void;
  foot: ReactNode;
  children: ReactNode;
}) {
  const form = useFocusInvalid<HTMLFormElement>(error);
  useBorrowedFocus(form, isOpened);
  const whyId = useId();
  return (
    <Rejection value={error}>
      <form
        ref={form}
        className={styles['whole']}
        aria-label={label}
        onSubmit={(event) => {
          event.preventDefault();
          if (why === undefined) onSubmit();
        }}
      >
        <fieldset
          className={styles['form']}
          disabled={why !== undefined}
          aria-describedby={why === undefined ? undefined : whyId}
        >
          {children}
        </fieldset>
        {error && (
          <div className={styles['message']}>
            <ProblemNotice error={error} />
          </div>
        )}
        <div className={styles['foot']}>
          {foot}
          {why !== undefined && (
            <p id={whyId} className={styles['why']}>
              {why}
            </p>
          )}
        </div>
      </form>
    </Rejection>
  );
}

type Draft = { isDirty: boolean; discard: () => void };
type Saving = { isPending: boolean; isSuccess: boolean };

/** The buttons of a form over saved settings. */
export function SaveFoot({
  draft,
  saving,
  label = 'Save',
  why,
  blocked,
}: {
  draft: Draft;
  saving: Saving;
  label?: string;
  /** Why the person may not save; the form says it. */
  why?: string | undefined;
  /** Why what was typed cannot be saved yet. */
  blocked?: string | undefined;
}) {
  const isSaved = saving.isSuccess && !draft.isDirty;
  const unchanged = draft.isDirty ? undefined : 'Nothing differs from what is saved.';
  useEffect(() => {
    if (isSaved) announce('Saved.');
  }, [isSaved]);
  return (
    <>
      <Button look="primary" type="submit" busy={saving.isPending} why={why ?? blocked ?? unchanged}>
        {label}
      </Button>
      <Button why={why ?? unchanged} onClick={draft.discard}>
        Discard
      </Button>
      {why === undefined && blocked !== undefined && <span className={styles['why']}>{blocked}</span>}
      {isSaved && <span className={styles['why']}>Saved.</span>}
    </>
  );
}
