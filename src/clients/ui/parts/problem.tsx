import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { ApiProblem } from '../api/request.ts';
import { Copy } from './copy.tsx';
import { Mark } from './state.tsx';
import page from './page.module.css';
import styles from './problem.module.css';

/** A rejected request: what is wrong, where, and the id to quote. It stays until the request succeeds. */
export const ProblemNotice = ({ error }: { error: Error }) => (
  <div className={page['notice']} data-state="failed" role="alert">
    <Mark state="failed" />
    <div>
      <p>
        <b>{error instanceof ApiProblem ? error.title : 'Something went wrong'}.</b> {error.message}
        {error instanceof ApiProblem &&
          error.links.map(({ title, url }) => (
            <Fragment key={url}>
              {' '}
              <Link to={url}>Open {title}</Link>
            </Fragment>
          ))}
        {error instanceof ApiProblem && error.requestId !== '' && (
          <span className="row small dim">
            Request <Copy text={error.requestId} label="Copy the request id" />
          </span>
        )}
      </p>
      {error instanceof ApiProblem && <ErrorList errors={error.errors} />}
    </div>
  </div>
);

/** Lists every value that was rejected, because its field may be out of sight, or on no page. */
const ErrorList = ({ errors }: Pick<ApiProblem, 'errors'>) =>
  errors.length > 0 && (
    <ul className={styles['errors']}>
      {errors.map(({ pointer, detail }) => (
        <li key={`${pointer} ${detail}`}>
          <code>{pointer.replace(/^[/?]/, '')}</code> {detail}
        </li>
      ))}
    </ul>
  );
