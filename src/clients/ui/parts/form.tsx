import { createContext, useContext, useEffect, useId, useRef, type ReactNode } from 'react';
import { ApiProblem } from '../api/request.ts';
import { announce } from '../shell/announcer.tsx';
import { Button } from './button.tsx';
import { findError } from './find-error.ts';
import { ProblemNotice } from './problem.tsx';
import styles from './form.module.css';

const Rejection = createContext<Error | null>(null);

/** Finds the message of the API for the field at `pointer` of the request's body. */
export function useFieldError(pointer: string | undefined): string | undefined {
  const error = useContext(Rejection);
  return pointer === undefined ? undefined : findError(error, pointer);
}

/**
 * A form whose fields show the errors of a rejected request at their `pointer`; the first of them gets the focus.
 * With `why`, it can only be read.
 */
export function Form({
  label,
  error,
  why,
  onSubmit,
  foot,
  children,
}: {
  label?: string;
  error: Error | null;
  why?: string | undefined;
  onSubmit: () => void;
  foot: ReactNode;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const whyId = useId();
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
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
            <ErrorList error={error} />
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

/** Lists every field that was rejected, because a field may be out of sight or on the other view of the document. */
export function ErrorList({ error }: { error: Error }) {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return null;
  return (
    <ul className={styles['errors']}>
      {error.errors.map(({ pointer, detail }) => (
        <li key={`${pointer} ${detail}`}>
          <code>{pointer.replace(/^[/?]/, '')}</code> {detail}
        </li>
      ))}
    </ul>
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
