import styles from './segmented.module.css';

/** A choice of one of a few views. */
export const Segmented = <Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: [value: Value, text: string][];
  onChange: (value: Value) => void;
}) => (
  <span className={styles['seg']} role="group" aria-label={label}>
    {options.map(([option, text]) => (
      <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
        {text}
      </button>
    ))}
  </span>
);
