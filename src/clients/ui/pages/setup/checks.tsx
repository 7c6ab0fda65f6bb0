import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { modelsQuery } from '../../api/queries/agents.ts';
import { statusQuery } from '../../api/queries/settings.ts';
import { every } from '../../live/live-state.ts';
import { Button } from '../../parts/button.tsx';
import { formatAmount } from '../../parts/format-amount.ts';
import { Section } from '../../parts/page.tsx';
import type { State } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import styles from './setup.module.css';

const refetchInterval = every(5_000);

type Check = { state: State; title: string; note: string };

const Checks = ({ checks, onCheck }: { checks: Check[]; onCheck: () => void }): ReactNode => (
  <Section
    id="checks"
    title="Checks"
    note="Again by itself every 5 seconds"
    aside={
      <Button small onClick={onCheck}>
        Check now
      </Button>
    }
  >
    <ul className={styles['checks']}>
      {checks.map(({ state, title, note }) => (
        <li key={title} data-state={state}>
          <Mark state={state} />
          <div>
            <p>{state === 'failed' ? <b>{title}</b> : title}</p>
            <p className="small dim">{note}</p>
          </div>
        </li>
      ))}
    </ul>
  </Section>
);

/** Checks what the installation depends on. */
export function InstallChecks() {
  const { data, error, refetch } = useQuery({ ...statusQuery, refetchInterval });
  const toCheck = (title: string, isReachable: boolean | undefined, failed: string): Check =>
    isReachable === undefined
      ? { state: error ? 'failed' : 'working', title, note: error?.message ?? 'Checking…' }
      : { state: isReachable ? 'done' : 'failed', title, note: isReachable ? 'Reachable' : failed };
  const checks = [
    toCheck('The store answers', data?.store.reachable, 'It cannot be reached. See the log of the service.'),
    toCheck(
      'The workflow server answers',
      data?.workflows.reachable,
      'It cannot be reached: Changes, Releases and promotions wait until it returns.',
    ),
    toCheck(
      'The management cluster answers',
      data?.managementCluster.reachable,
      'It cannot be reached: nothing can be deployed until it returns.',
    ),
    ...(data?.managementCluster.workloadClusters ?? []).map(({ name, readable }) =>
      toCheck(
        `The cluster ${name} can be read`,
        readable,
        'The service has no access to it. Zones can be deployed there, but their state is not shown.',
      ),
    ),
  ];
  return <Checks checks={checks} onCheck={() => void refetch()} />;
}

/** Whether Prometheus and Alertmanager answer. */
export function MetricsChecks() {
  const { data, error, refetch } = useQuery({ ...statusQuery, refetchInterval });
  const { reachable, message = 'Reachable' } = data?.metrics ?? {};
  const check: Check = {
    state: reachable === undefined ? (error ? 'failed' : 'working') : reachable ? 'done' : 'failed',
    title: reachable === false ? 'Prometheus and Alertmanager do not answer' : 'Prometheus and Alertmanager answer',
    note: data ? message : (error?.message ?? 'Checking…'),
  };
  return <Checks checks={[check]} onCheck={() => void refetch()} />;
}

/** Whether the provider that is in use answers. */
export function ModelChecks({ org }: { org: string }) {
  const { data, error, refetch } = useQuery({ ...modelsQuery(org), refetchInterval });
  const fallback = data?.items.find(({ isDefault }) => isDefault)?.model;
  const check: Check = error
    ? { state: 'failed', title: 'The provider does not answer', note: error.message }
    : {
        state: data ? 'done' : 'working',
        title: 'The provider answers',
        note: data
          ? `${formatAmount(data.items.length, 'model')}, by default ${fallback ?? 'none of them'}`
          : 'Checking…',
      };
  return <Checks checks={[check]} onCheck={() => void refetch()} />;
}
