import { Link } from '@tanstack/react-router';
import { PageHead } from '../../parts/page.tsx';
import { guides } from './guide-list.ts';
import styles from './help.module.css';

/** The place of all help. */
export const HelpPage = () => (
  <>
    <PageHead title="Help">Short guides, and the reference of the API.</PageHead>
    <ul className={styles['guides']}>
      {guides.map(({ name, title, about }) => (
        <li key={name}>
          <Link to="/help/$guide" params={{ guide: name }}>
            {title}
          </Link>
          <p>{about}</p>
        </li>
      ))}
      <li>
        <Link to="/api/docs">API reference</Link>
        <p>Every operation, with examples, and a form that calls it.</p>
      </li>
    </ul>
  </>
);
