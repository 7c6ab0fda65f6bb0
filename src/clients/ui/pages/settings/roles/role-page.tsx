import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { agentRoleQuery, agentWorkflowsQuery, modelsQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { request } from '../../../api/request.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, Details, PageHead } from '../../../parts/page.tsx';
import { Time } from '../../../parts/time.tsx';
import { useNavigateIfHere } from '../../../parts/use-navigate-if-here.ts';
import { DeleteResource } from '../delete-resource.tsx';
import { DocumentEditor } from '../document-editor.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { RoleForm } from './role-form.tsx';
import { isRoleSpec, type AgentRole } from './role-spec.ts';

const route = getRouteApi('/signed-in/$org/settings/roles/$role');

/** One AgentRole: its instructions, model, tools, network and limits. */
export function RolePage() {
  const { org, role: name } = route.useParams();
  const { view = 'form' } = route.useSearch();
  const navigate = useNavigate();
  const navigateIfHere = useNavigateIfHere();
  const queryClient = useQueryClient();
  const { data: role } = useSuspenseQuery(agentRoleQuery(org, name));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  // The provider may be away; a model can be typed then.
  const { data: models } = useQuery(modelsQuery(org));
  const readAgain = (): void => void queryClient.invalidateQueries({ queryKey: ['agent-roles', org] });
  return (
    <>
      <PageHead title={name}>An AgentRole: agents of steps that name it follow it from their next run on.</PageHead>
      <Columns aside={<RoleDetails role={role} />}>
        <DocumentEditor
          resource={role}
          action="replaceAgentRole"
          view={view}
          onView={(next) =>
            void navigate({
              to: '/$org/settings/roles/$role',
              params: { org, role: name },
              search: next === 'form' ? {} : { view: next },
            })
          }
          isSpec={isRoleSpec}
          save={async (body) =>
            await request('put', '/v1/orgs/{org}/agentroles/{name}', { params: { org, name }, body })
          }
          onSaved={(saved) => {
            queryClient.setQueryData(agentRoleQuery(org, name).queryKey, saved as AgentRole);
            readAgain();
          }}
          onOutdated={() => void queryClient.invalidateQueries(agentRoleQuery(org, name))}
        >
          {(value, set) => (
            <RoleForm
              spec={value}
              models={models?.items.map(({ model }) => model) ?? []}
              networkRefusal={
                organization.spec.agents?.allowNetwork === true
                  ? undefined
                  : 'The org does not allow it: see the limits of agents in Models.'
              }
              onChange={set}
            />
          )}
        </DocumentEditor>
        <DeleteResource
          kind="AgentRole"
          name={name}
          effect="Started runs keep their copy of it. An AgentWorkflow that names it cannot start."
          why={findRefusal(role.actions, 'deleteAgentRole')}
          onDelete={async () => await request('delete', '/v1/orgs/{org}/agentroles/{name}', { params: { org, name } })}
          onDeleted={async () => {
            readAgain();
            await navigateIfHere({ to: '/$org/settings/roles', params: { org }, ignoreBlocker: true });
          }}
        />
      </Columns>
    </>
  );
}

function RoleDetails({ role: { org, name, generation, createdAt } }: { role: AgentRole }) {
  const { data: workflows } = useSuspenseQuery(agentWorkflowsQuery(org));
  const uses = workflows.items.filter(({ spec }) =>
    spec.steps.some((step) => step.type === 'agent' && step.role === name),
  );
  return (
    <>
      <section>
        <h2>This AgentRole</h2>
        <Details
          items={[
            [
              'Used by',
              uses.length === 0 ? (
                'Nothing'
              ) : (
                <ul key="uses">
                  {uses.map((item) => (
                    <li key={item.name}>
                      <Link to="/$org/settings/workflows/$workflow" params={{ org, workflow: item.name }}>
                        {item.name}
                      </Link>
                    </li>
                  ))}
                </ul>
              ),
            ],
            ['Version', `${generation}`],
            ['Created', <Time key="created" at={createdAt} />],
          ]}
        />
      </section>
      <CurlLine path={`/orgs/${org}/agentroles/${name}`} />
    </>
  );
}
