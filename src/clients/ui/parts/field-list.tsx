import { useId, type ReactNode, type Ref } from 'react';
import { useListError } from './form.tsx';
import styles from './form.module.css';

/** The fields of a list. An error of the list itself, such as too few items, is shown below it. */
export function FieldList({
  legend,
  pointer,
  ref,
  children,
}: {
  legend: ReactNode;
  pointer: string;
  ref?: Ref<HTMLFieldSetElement>;
  children: ReactNode;
}) {
  const id = useId();
  const error = useListError(pointer);
  return (
    <fieldset
      ref={ref}
      data-invalid={error !== undefined || undefined}
      aria-describedby={error === undefined ? undefined : id}
    >
      <legend>{legend}</legend>
      {children}
      {error !== undefined && (
        <p id={id} className={styles['wrong']}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
