import styles from './person.module.css';

/** A person by the part of the e-mail address before the @; the whole address is in the tooltip. */
export function Person({ email, className }: { email: string; className?: string | undefined }) {
  const name = email.split('@')[0] ?? email;
  return (
    <span className={styles['person']} title={email}>
      <span className={styles['av']} aria-hidden="true">
        {name.slice(0, 2).toUpperCase()}
      </span>
      <span className={className}>{name}</span>
    </span>
  );
}
