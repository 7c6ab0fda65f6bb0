import { useId, type ComponentProps } from 'react';
import styles from './field.module.css';

/** A labelled input with its hint and the error that the API gave for it. */
export function Field({
  label,
  hint,
  error,
  isChanged = false,
  ...rest
}: { label: string; hint?: string; error?: string | undefined; isChanged?: boolean } & ComponentProps<'input'>) {
  const id = useId();
  return (
    <div className={`${styles['field']} ${isChanged ? styles['changed'] : ''}`}>
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        className={styles['input']}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={`${id}-hint`}
      />
      <span id={`${id}-hint`} className={error === undefined ? styles['hint'] : styles['err']}>
        {error ?? hint}
      </span>
    </div>
  );
}
