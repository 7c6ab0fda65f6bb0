import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLiveStatus } from '../live/live.tsx';
import { Empty, PageHead, PendingPage } from './page.tsx';

const ProblemPage = lazy(async () => ({
  default: await import('./problem-page.tsx').then(
    (module) => module.ProblemPage,
    () => PlainProblem,
  ),
}));
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
  if (isStaleBuild(error) && !isAway) return <NewVersion />;
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

/** The files of an earlier build are gone when the service has been updated since the tab was opened. */
const isStaleBuild = ({ message }: Error): boolean =>
  /dynamically imported module|Importing a module script failed/.test(message);

const NewVersion = () => (
  <>
    <PageHead title="A new version is available">This tab was opened with an earlier version of the service.</PageHead>
    <Empty title="Reload to continue">
      <p>The page that you opened belongs to the new version.</p>
      <p>
        <a href={location.href}>Reload</a>
      </p>
    </Empty>
  </>
);

export const NotFound = () => (
  <>
    <PageHead title="This page does not exist">The address may be misspelled, or what it named was deleted.</PageHead>
    <p>
      <Link to="/">See what waits for you</Link>
    </p>
  </>
);
