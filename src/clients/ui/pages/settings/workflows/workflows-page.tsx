import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { agentWorkflowsQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { PageHead } from '../../../parts/page.tsx';
import table from '../../../parts/table.module.css';
import { Ago, Time } from '../../../parts/time.tsx';
import { useShowMore } from '../../../parts/use-show-more.tsx';
import styles from './workflow.module.css';
import { NewWorkflow } from './new-workflow.tsx';
import { describeTrigger, type AgentWorkflow } from './workflow-spec.ts';
import { WorkflowState } from './workflow-state.tsx';

const route = getRouteApi('/signed-in/$org/settings/workflows');
const workflowsFirst = 100;

/** The AgentWorkflows of an org: what starts each, and when. */
export function WorkflowsPage() {
  const { org } = route.useParams();
  const { data } = useSuspenseQuery(agentWorkflowsQuery(org));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const { shown, more } = useShowMore(data.items, workflowsFirst);
  return (
    <>
      <PageHead title="AgentWorkflows">
        What agents and people do step by step, and the events and schedules that start it.
      </PageHead>
      {data.items.length > 0 && (
        <table className={table['tbl']}>
          <thead>
            <tr>
              <th scope="col">AgentWorkflow</th>
              <th scope="col" className={styles['starts']}>
                Starts on
              </th>
              <th scope="col">State</th>
              <th scope="col">Next run</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((item) => (
              <Row key={item.name} item={item} isScheduling={organization.spec.scheduling?.enabled === true} />
            ))}
          </tbody>
        </table>
      )}
      {more}
      <NewWorkflow org={org} existing={data.items} actions={organization.actions} />
    </>
  );
}

const Row = ({ item, isScheduling }: { item: AgentWorkflow; isScheduling: boolean }) => (
  <tr>
    <th scope="row">
      <Link
        className={table['title']}
        to="/$org/settings/workflows/$workflow"
        params={{ org: item.org, workflow: item.name }}
      >
        {item.name}
      </Link>
      {item.spec.description !== undefined && <p className="dim small">{item.spec.description}</p>}
    </th>
    <td data-l="Starts on">
      {item.spec.triggers.length === 0 ? (
        'A person only'
      ) : (
        <ul>
          {item.spec.triggers.map((trigger) => (
            <li key={JSON.stringify(trigger)}>{describeTrigger(trigger)}</li>
          ))}
        </ul>
      )}
    </td>
    <td data-l="State">
      <WorkflowState item={item} />
    </td>
    <td data-l="Next run">
      {item.status?.nextScheduledAt !== undefined ? (
        <Time at={item.status.nextScheduledAt} />
      ) : (
        item.spec.triggers.some(({ type }) => type === 'cron') && (isScheduling ? 'None' : 'Scheduling is off')
      )}
      {item.status?.lastScheduledAt !== undefined && (
        <p className="dim small">
          Last <Ago since={item.status.lastScheduledAt} />
        </p>
      )}
    </td>
  </tr>
);
