import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { agentRolesQuery, agentWorkflowsQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { PageHead } from '../../../parts/page.tsx';
import table from '../../../parts/table.module.css';
import { useShowMore } from '../../../parts/use-show-more.tsx';
import { NewRole } from './new-role.tsx';
import type { AgentRole } from './role-spec.ts';

const route = getRouteApi('/signed-in/$org/settings/roles');
const rolesFirst = 100;

/** The AgentRoles of an org: what agents are told, and what they may use. */
export function RolesPage() {
  const { org } = route.useParams();
  const { data } = useSuspenseQuery(agentRolesQuery(org));
  const { data: workflows } = useSuspenseQuery(agentWorkflowsQuery(org));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const { shown, more } = useShowMore(data.items, rolesFirst);
  const listUses = (role: string): string[] =>
    workflows.items
      .filter(({ spec }) => spec.steps.some((step) => step.type === 'agent' && step.role === role))
      .map(({ name }) => name);
  return (
    <>
      <PageHead title="AgentRoles">What an agent is told to do, its model, its tools and its limits.</PageHead>
      {data.items.length > 0 && (
        <table className={table['tbl']}>
          <thead>
            <tr>
              <th scope="col">AgentRole</th>
              <th scope="col">Model</th>
              <th scope="col">Tools</th>
              <th scope="col">Network</th>
              <th scope="col">Used by</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((role) => (
              <Row key={role.name} role={role} uses={listUses(role.name)} />
            ))}
          </tbody>
        </table>
      )}
      {more}
      <NewRole org={org} existing={data.items} actions={organization.actions} />
    </>
  );
}

const Row = ({ role: { org, name, spec }, uses }: { role: AgentRole; uses: string[] }) => (
  <tr>
    <th scope="row">
      <Link className={table['title']} to="/$org/settings/roles/$role" params={{ org, role: name }}>
        {name}
      </Link>
      <p className="dim small">{spec.responsibilities[0]}</p>
    </th>
    <td data-l="Model">{spec.model ?? 'The default'}</td>
    <td data-l="Tools">{spec.tools === undefined ? 'All of the step' : spec.tools.join(', ') || 'None'}</td>
    <td data-l="Network">{spec.network === true ? 'Yes' : 'No'}</td>
    <td data-l="Used by">{uses.length === 0 ? 'Nothing' : uses.join(', ')}</td>
  </tr>
);
