import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { Lock, RotateCw } from 'lucide-react';
import { findQuery, meQuery } from '../api/queries/me.ts';
import { ApiProblem } from '../api/request.ts';
import { signOut } from '../shell/sign-in.ts';
import { Button, ButtonLink } from './button.tsx';
import { Copy } from './copy.tsx';
import failure from './failure.module.css';
import { PageHead } from './page.tsx';
import { ProblemNotice } from './problem.tsx';
import { Mark } from './state.tsx';
import styles from './page.module.css';

const tight = { paddingBlock: 8 };

/** A page whose data cannot be read: why, and what to do. */
export function ProblemPage({ error, onRetry }: { error: Error; onRetry?: (() => void) | undefined }) {
  const problem = error instanceof ApiProblem ? error : undefined;
  if (problem?.status === 403) return <Forbidden problem={problem} />;
  if (problem?.status === 404) return <Missing problem={problem} />;
  return (
    <>
      <PageHead title="This page cannot be shown" />
      <section className={failure['failure']} aria-labelledby="problem">
        <header>
          <Mark state="failed" large />
          <h2 id="problem">{problem?.title ?? 'Something went wrong in this page'}</h2>
        </header>
        <dl className={failure['wof']}>
          <dt>What</dt>
          <dd>{error.message}</dd>
          {problem && problem.target !== '' && (
            <>
              <dt>On what</dt>
              <dd>
                <code>{problem.target}</code>
              </dd>
            </>
          )}
          <dt>How to fix it</dt>
          <dd>{toFix(problem)}</dd>
          <Request problem={problem} />
        </dl>
        {onRetry && (
          <footer>
            <Button look="primary" onClick={onRetry}>
              <RotateCw className="i s" aria-hidden="true" />
              Try now
            </Button>
          </footer>
        )}
      </section>
    </>
  );
}

const Request = ({ problem }: { problem: ApiProblem | undefined }) =>
  problem !== undefined &&
  problem.requestId !== '' && (
    <>
      <dt>Request</dt>
      <dd>
        <Copy text={problem.requestId} label="Copy the request id" />
      </dd>
    </>
  );

function toFix(problem: ApiProblem | undefined): string {
  if (!problem)
    return 'Try again. If the problem persists, reload the page and tell the operators of this installation.';
  if (problem.status === 0) return 'Check your network. The page loads again automatically when the server responds.';
  if (problem.status === 429) return 'Wait a moment, then try again.';
  if (problem.status < 500) return 'Check the address of the page.';
  return 'Wait a moment, then try again. If the problem persists, give the request id to the operators of this installation.';
}

function Forbidden({ problem }: { problem: ApiProblem }) {
  const queryClient = useQueryClient();
  const { href } = useLocation();
  const me = queryClient.getQueryData(meQuery.queryKey);
  const [what, ...rest] = problem.message.split(/(?<=[.;]) /);
  const leave = useMutation({
    mutationFn: async () => await signOut(queryClient),
    onSuccess: () => location.assign(`/signin?to=${encodeURIComponent(href)}`),
  });
  return (
    <>
      <PageHead title="You do not have access to this page" />
      <section className={styles['empty']} style={tight} aria-labelledby="problem">
        <h2 id="problem" className="row">
          <Lock className="i" aria-hidden="true" />
          {what}
        </h2>
        {rest.length > 0 && <p>{rest.join(' ')}</p>}
        {me && (
          <p>
            You are signed in as {me.email}
            {me.orgs.length > 0 && `, ${me.orgs.map(({ org, role }) => `${role} of ${org}`).join(', ')}`}.
          </p>
        )}
        <div className="row wrap">
          <Button busy={leave.isPending} onClick={() => leave.mutate()}>
            Sign in as another person
          </Button>
          <ButtonLink look="plain" to="/">
            Back to Waiting for you
          </ButtonLink>
        </div>
        {leave.error && <ProblemNotice error={leave.error} />}
        {problem.requestId !== '' && (
          <p className="row small dim">
            Request <Copy text={problem.requestId} label="Copy the request id" />
          </p>
        )}
      </section>
    </>
  );
}

function Missing({ problem }: { problem: ApiProblem }) {
  const { pathname } = useLocation();
  const name = decodeURIComponent(pathname.split('/').at(-1) ?? '');
  return (
    <>
      <PageHead title="This does not exist">{problem.message}</PageHead>
      <Suggestions name={name} />
      <p className="row">
        <Link to="/">See what waits for you</Link>
      </p>
      {problem.requestId !== '' && (
        <p className="row small dim">
          Request <Copy text={problem.requestId} label="Copy the request id" />
        </p>
      )}
    </>
  );
}

/** Names are misspelled at the end more often than at the beginning. */
function Suggestions({ name }: { name: string }) {
  const start = name.slice(0, Math.max(3, Math.ceil(name.length / 2)));
  // The name is gone while the page leads to the start page.
  const { data } = useQuery({ ...findQuery(start), retry: false, enabled: start !== '' });
  const found = data?.items.slice(0, 3) ?? [];
  if (found.length === 0) return null;
  return (
    <section aria-labelledby="similar" className={styles['empty']} style={tight}>
      <h2 id="similar">Did you mean</h2>
      <ul className="stack">
        {found.map(({ path, title, name: other }) => (
          <li key={path}>
            <Link to={path}>{title}</Link> <span className="faint">{other !== title && other}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
