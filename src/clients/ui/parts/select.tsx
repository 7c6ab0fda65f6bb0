import { useId } from 'react';
import styles from './field.module.css';

/** A labelled choice of one of a few values. */
export function Select({
  label,
  value,
  options,
  error,
  onChange,
}: {
  label: string;
  value: string;
  options: [value: string, text: string][];
  error?: string | undefined;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span>
      <label className="sr" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className={styles['select']}
        value={value}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      {error !== undefined && (
        <span className={styles['field']}>
          <span id={`${id}-error`} className={styles['err']}>
            {error}
          </span>
        </span>
      )}
    </span>
  );
}
