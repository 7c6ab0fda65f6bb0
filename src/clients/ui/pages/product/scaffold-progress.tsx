import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { productQuery } from '../../api/queries/products.ts';
import { request } from '../../api/request.ts';
import type { Product, Release } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Section } from '../../parts/page.tsx';
import { toState, toWords, type State } from '../../parts/phase-state.ts';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Mark } from '../../parts/state.tsx';
import { Elapsed } from '../../parts/time.tsx';
import styles from './scaffold-progress.module.css';

const phases = ['CreatingRepo', 'Committing', 'StartingRelease', 'Succeeded'];

/** Shows how the service makes the repo and the first Release of a Product, until a zone runs something. */
export function ScaffoldProgress({ product, release }: { product: Product; release: Release | undefined }) {
  const { org, spec, status } = product;
  const scaffold = status?.scaffold;
  const runs = status?.zones?.some(({ version }) => version !== undefined) ?? false;
  if (spec.source === undefined || (scaffold?.phase === 'Succeeded' && runs)) return null;
  if (scaffold?.phase === 'Failed') return <Failed product={product} />;
  const { repo, template } = spec.source;
  const at = scaffold ? phases.indexOf(scaffold.phase) : -1;
  const toStep = (index: number): State => (at > index ? 'done' : at === index ? 'working' : 'idle');
  const releaseState: State = release ? toState(release.status?.phase ?? 'Building') : toStep(2);
  return (
    <Section
      id="making"
      title="This Product is being created"
      note="It continues if you close this page"
      aside={scaffold && scaffold.finishedAt === undefined && <Elapsed from={scaffold.startedAt} />}
    >
      <ol className={styles['line']}>
        <Station state={toStep(0)} title="Repo" detail={`${repo} at the code host`} />
        <Station
          state={toStep(1)}
          title="First commit"
          detail={template === undefined ? 'The files of the archive' : `The files of the template ${template}`}
        />
        <Station state={releaseState} title="First Release" detail={release ? undefined : 'Builds the first commit'}>
          {release && (
            <>
              <Link to="/$org/releases/$release" params={{ org, release: release.name }}>
                {release.spec.version}
              </Link>
              , {toWords(release.status?.phase ?? 'Building')}
            </>
          )}
        </Station>
      </ol>
      <p className="dim small" role="status">
        {scaffold?.message ?? 'It waits for a worker.'}
      </p>
    </Section>
  );
}

const words: Partial<Record<State, string>> = { done: 'Done', working: 'In progress', idle: 'Not started' };

const Station = ({
  state,
  title,
  detail,
  children,
}: {
  state: State;
  title: string;
  detail?: string | undefined;
  children?: ReactNode;
}) => (
  <li aria-current={state === 'working' ? 'step' : undefined}>
    <Mark state={state} />
    <b>{title}</b>
    <span className="sr">{words[state]}</span>
    <span className="dim small">{children ?? detail}</span>
  </li>
);

function Failed({ product }: { product: Product }) {
  const { org, name, status, actions } = product;
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/products/{product}/scaffold/retry', { params: { org, product: name } }),
    onSettled: async () => await queryClient.invalidateQueries(productQuery(org, name)),
  });
  const action = actions.find((one) => one.name === 'retryScaffold');
  const failure = status?.scaffold?.failure;
  if (!failure) return null;
  return (
    <Failure title="This Product could not be created" failure={failure}>
      <Button
        look="primary"
        why={action?.allowed === true ? undefined : action?.message}
        busy={retry.isPending}
        onClick={() => retry.mutate()}
      >
        Retry
      </Button>
      {action?.allowed === false && <span className="dim small">{action.message}</span>}
      {retry.isSuccess && (
        <span className="dim small">Requested. It continues after the last step that succeeded.</span>
      )}
      {retry.error && <ProblemNotice error={retry.error} />}
    </Failure>
  );
}
