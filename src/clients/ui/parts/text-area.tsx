import { useId, type ComponentProps } from 'react';
import styles from './field.module.css';

/** A labelled text of several lines with its hint and the error that the API gave for it. */
export function TextArea({
  label,
  hint,
  error,
  ...rest
}: { label: string; hint?: string; error?: string | undefined } & ComponentProps<'textarea'>) {
  const id = useId();
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <textarea {...rest} id={id} aria-invalid={error !== undefined || undefined} aria-describedby={`${id}-hint`} />
      <span id={`${id}-hint`} className={error === undefined ? styles['hint'] : styles['err']}>
        {error ?? hint}
      </span>
    </div>
  );
}
