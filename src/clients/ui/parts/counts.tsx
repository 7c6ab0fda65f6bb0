import styles from './counts.module.css';

/** The added and removed lines of a file or of a diff. */
export const Counts = ({ additions, deletions }: { additions: number; deletions: number }) => (
  <span className={styles['counts']}>
    {additions > 0 && <span className={styles['plus']}>+{additions.toLocaleString('en')}</span>}
    {additions > 0 && deletions > 0 && ' '}
    {deletions > 0 && <span className={styles['minus']}>−{deletions.toLocaleString('en')}</span>}
  </span>
);
