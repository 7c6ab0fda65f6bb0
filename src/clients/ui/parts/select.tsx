import { useId } from 'react';
import styles from './field.module.css';

/** A labelled choice of one of a few values. */
export function Select({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: [value: string, text: string][];
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span>
      <label className="sr" htmlFor={id}>
        {label}
      </label>
      <select id={id} className={styles['select']} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
