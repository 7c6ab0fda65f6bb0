import { useSuspenseQueries, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { agentWorkflowsQuery, deliveriesQuery } from '../../../api/queries/agents.ts';
import { Button } from '../../../parts/button.tsx';
import { Empty, PageHead, Section } from '../../../parts/page.tsx';
import { Select } from '../../../parts/select.tsx';
import { Mark } from '../../../parts/state.tsx';
import table from '../../../parts/table.module.css';
import { Time } from '../../../parts/time.tsx';
import { AskWhy } from './ask-why.tsx';
import type { DeliveriesSearch } from './route.ts';

type Delivery = Schemas['Delivery'];
const route = getRouteApi('/signed-in/$org/settings/deliveries');
const shownMax = 100;

/** The events of the code host: what each started, or why it started nothing. */
export function DeliveriesPage() {
  const { org } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data: workflows } = useSuspenseQuery(agentWorkflowsQuery(org));
  const all = workflows.items.map(({ name }) => name);
  const names = search.workflow === undefined ? all : [search.workflow];
  const lists = useSuspenseQueries({ queries: names.map((name) => deliveriesQuery(org, name)) });
  const items = lists
    .flatMap(({ data }) => data.items)
    .filter(({ run }) => search.outcome === undefined || (search.outcome === 'started') === (run !== undefined))
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, shownMax);
  const show = (changes: Record<string, string | undefined>): void => {
    const entries = Object.entries({ ...search, ...changes }).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    void navigate({
      to: '/$org/settings/deliveries',
      params: { org },
      search: Object.fromEntries(entries) as DeliveriesSearch,
    });
  };
  const isFiltered = search.workflow !== undefined || search.outcome !== undefined;
  return (
    <>
      <PageHead
        title="Deliveries"
        actions={
          <>
            <Select
              label="AgentWorkflow"
              value={search.workflow ?? ''}
              options={[['', 'All AgentWorkflows'], ...all.map((name): [string, string] => [name, name])]}
              onChange={(workflow) => show({ workflow })}
            />
            <Select
              label="Outcome"
              value={search.outcome ?? ''}
              options={[
                ['', 'All outcomes'],
                ['started', 'Started a run'],
                ['nothing', 'Started nothing'],
              ]}
              onChange={(outcome) => show({ outcome })}
            />
          </>
        }
      >
        The events of the code host, with the run that each started or the reason why it started none.
      </PageHead>
      <AskWhy org={org} about={search.about} onAsk={(about) => show({ about })} />
      {items.length === 0 ? (
        <Empty title={isFiltered ? 'No delivery matches' : 'No delivery yet'}>
          <p>An event of an issue or a pull request appears here once the code host is connected and sends it.</p>
          <p>
            <Link to="/$org/settings/codehost" params={{ org }}>
              See the connection to the code host
            </Link>
          </p>
        </Empty>
      ) : (
        <Section id="latest" title="Latest" note={`At most ${shownMax}, the newest first`}>
          <Deliveries items={items} org={org} onWhy={(about) => show({ about })} />
        </Section>
      )}
    </>
  );
}

const Deliveries = ({ items, org, onWhy }: { items: Delivery[]; org: string; onWhy: (about: string) => void }) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Event</th>
        <th scope="col">On</th>
        <th scope="col">AgentWorkflow</th>
        <th scope="col">Outcome</th>
        <th scope="col" className={table['n']}>
          Received
        </th>
        <td />
      </tr>
    </thead>
    <tbody>
      {items.map(({ deliveryId, agentWorkflow, event, label, repo, number, run, message, at }) => (
        <tr key={`${deliveryId} ${agentWorkflow}`}>
          <th scope="row" className={table['title']}>
            {event}
            {label !== undefined && <span className="dim"> {label}</span>}
          </th>
          <td data-l="On">
            {repo}#{number}
          </td>
          <td data-l="AgentWorkflow">
            <Link to="/$org/settings/workflows/$workflow" params={{ org, workflow: agentWorkflow }}>
              {agentWorkflow}
            </Link>
          </td>
          <td data-l="Outcome">
            <span className="row">
              <Mark state={run === undefined ? 'idle' : 'done'} />
              {run === undefined ? (
                `Nothing: ${message ?? 'no run was started'}`
              ) : (
                <Link to="/$org/changes/$run" params={{ org, run }}>
                  {run}
                </Link>
              )}
            </span>
          </td>
          <td data-l="Received" className={table['n']}>
            <Time at={at} />
          </td>
          <td className="right">
            <Button
              small
              aria-label={`Why: ${event} of ${repo}#${number} for ${agentWorkflow}`}
              onClick={() => onWhy(`delivery:${deliveryId}`)}
            >
              Why?
            </Button>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
