import styles from './brand.module.css';

/** The logo: a line of two stations, from an issue to production. */
export const Brand = () => (
  <svg className={styles['brand']} viewBox="0 0 22 22" fill="none" aria-hidden="true">
    <path d="M5 11h12" stroke="currentColor" strokeWidth="2" />
    <circle cx="4.5" cy="11" r="3.5" fill="currentColor" />
    <circle cx="17.5" cy="11" r="3.5" fill="var(--sunken)" stroke="currentColor" strokeWidth="2" />
  </svg>
);
