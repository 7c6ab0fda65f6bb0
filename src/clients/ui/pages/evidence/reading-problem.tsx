import { Button } from '../../parts/button.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import styles from './evidence.module.css';

type Props = { error: Error; isReading: boolean; readMore: () => void };

/** Says why a file cannot be read to its end. Only a person reads on, so that a failure does not repeat the request. */
export const ReadingProblem = ({ error, isReading, readMore }: Props) => (
  <>
    <ProblemNotice error={error} />
    <p className={styles['more']}>
      <Button small busy={isReading} onClick={readMore}>
        Try again
      </Button>
    </p>
  </>
);
