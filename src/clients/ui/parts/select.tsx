import { useId } from 'react';
import styles from './field.module.css';

/** A labelled choice of one of a few values. Filters say what they are by their values, so that they hide the label. */
export function Select({
  label,
  value,
  options,
  error,
  isLabelled = false,
  onChange,
}: {
  label: string;
  value: string;
  options: [value: string, text: string][];
  error?: string | undefined;
  isLabelled?: boolean;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span className={isLabelled ? styles['field'] : undefined}>
      <label className={isLabelled ? undefined : 'sr'} htmlFor={id}>
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
        {withChosen(options, value).map(([key, text]) => (
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

/** The choice may be gone, such as a filter in the URL by something that was deleted since. */
const withChosen = (options: [string, string][], value: string): [string, string][] =>
  value === '' || options.some(([key]) => key === value) ? options : [...options, [value, value]];
