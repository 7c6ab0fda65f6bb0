import { useQueryClient, useQueryErrorResetBoundary } from '@tanstack/react-query';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLiveStatus } from '../live/live.tsx';
import { reload } from '../shell/typed-text.ts';
import { Button } from './button.tsx';
import { MissingFileError } from './lazy-file.ts';
import { Empty, PageHead, PendingPage } from './page.tsx';

/** The build moves a `then` of an import within the loading of its styles, so only the outer promise has all failures. */
const loadProblemPage = async () => (await import('./problem-page.tsx')).ProblemPage;
const ProblemPage = lazy(async () => ({ default: await loadProblemPage().catch(() => PlainProblem) }));
const PlainProblem = ({ error }: { error: Error }) => (
  <PageHead title="This page cannot be shown">{error.message}</PageHead>
);

/** The page of a route whose data cannot be read. */
export function RouteProblem({ error: thrown, reset }: ErrorComponentProps) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const router = useRouter();
  const { reset: resetQueries } = useQueryErrorResetBoundary();
  useEffect(() => resetQueries(), [resetQueries]);
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  const { state } = useLiveStatus();
  const [isAway, setAway] = useState(state === 'reconnecting');
  useEffect(() => {
    if (state === 'reconnecting') setAway(true);
    else if (isAway && state === 'live') retry();
  });
  if (error instanceof MissingFileError && !isAway) return <StalePage />;
  return (
    <Suspense>
      <ProblemPage error={error} onRetry={retry} />
    </Suspense>
  );
}

/** The states of a page that is not within the shell, which has the main landmark of the others. */
export const statesWithMain = {
  pendingComponent: () => (
    <main>
      <PendingPage />
    </main>
  ),
  errorComponent: (props: ErrorComponentProps) => (
    <main>
      <RouteProblem {...props} />
    </main>
  ),
};

/** A page of an earlier build, whose files are gone when the service has been updated since the tab was opened. */
function StalePage() {
  const queryClient = useQueryClient();
  return (
    <>
      <PageHead title="This page needs a reload">
        Its files could not be loaded. Most often, the service has a new version since this tab was opened.
      </PageHead>
      <Empty title="Reload to continue">
        <p>What you have typed on other pages stays.</p>
        <p>
          <Button onClick={() => reload(queryClient)}>Reload</Button>
        </p>
      </Empty>
    </>
  );
}

export const NotFound = () => (
  <>
    <PageHead title="This page does not exist">The address may be misspelled, or what it named was deleted.</PageHead>
    <p>
      <Link to="/">See what waits for you</Link>
    </p>
  </>
);
