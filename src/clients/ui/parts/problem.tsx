import { ApiProblem } from '../api/request.ts';
import { Copy } from './copy.tsx';
import { Mark } from './state.tsx';
import styles from './page.module.css';

/** A rejected request: what is wrong and the id to quote. It stays until the request succeeds. */
export const ProblemNotice = ({ error }: { error: Error }) => (
  <div className={styles['notice']} data-state="failed" role="alert">
    <Mark state="failed" />
    <p>
      <b>{error instanceof ApiProblem ? error.title : 'Something went wrong'}.</b> {error.message}
      {error instanceof ApiProblem && error.requestId !== '' && (
        <span className="row small dim">
          Request <Copy text={error.requestId} label="Copy the request id" />
        </span>
      )}
    </p>
  </div>
);
