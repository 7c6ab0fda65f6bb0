import { Link } from '@tanstack/react-router';
import type { Issue } from '../../api/queries/issues.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';

/** Says that a card went back to its column, and why. */
export const MoveRefusal = ({
  issue: { number, title, column, change },
  error,
  org,
  onClose,
}: {
  issue: Issue;
  error: Error;
  org: string;
  onClose: () => void;
}) => (
  <section aria-label="Refused move" style={{ marginBottom: 20 }}>
    <p>
      <b>
        #{number} {title}
      </b>{' '}
      stays in {column}.
    </p>
    <ProblemNotice error={error} />
    <p className="row">
      {change && (
        <Link to="/$org/changes/$run" params={{ org, run: change.run }}>
          Open its Change
        </Link>
      )}
      <Button small look="plain" onClick={onClose}>
        Close
      </Button>
    </p>
  </section>
);
