import { ApiProblem } from '../api/request.ts';
import { Button } from './button.tsx';
import { useHeading } from './page.tsx';
import { Mark } from './state.tsx';
import styles from './page.module.css';

/** A rejected request: what is wrong and the id to quote. It stays until the request succeeds. */
export const ProblemNotice = ({ error }: { error: Error }) => (
  <div className={styles['notice']} data-state="failed" role="alert">
    <Mark state="failed" />
    <p>
      <b>{error instanceof ApiProblem ? error.title : 'Something went wrong'}.</b> {error.message}
      {error instanceof ApiProblem && error.requestId !== '' && (
        <span className="dim">
          {' '}
          Request <code>{error.requestId}</code>
        </span>
      )}
    </p>
  </div>
);

const headings: Record<number, string> = { 403: 'You may not see this', 404: 'This does not exist' };

/** A page whose data cannot be read, with the reason and what to do. */
export function ProblemPage({ error, onRetry }: { error: Error; onRetry?: (() => void) | undefined }) {
  const status = error instanceof ApiProblem ? error.status : -1;
  const title = headings[status] ?? 'This page cannot be shown';
  const heading = useHeading(title);
  return (
    <div className={styles['empty']}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p>{error.message}</p>
      {error instanceof ApiProblem && error.requestId !== '' && (
        <p>
          Request <code>{error.requestId}</code>
        </p>
      )}
      {onRetry && status !== 403 && status !== 404 && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
