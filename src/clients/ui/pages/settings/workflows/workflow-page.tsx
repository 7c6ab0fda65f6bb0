import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { agentRolesQuery, agentWorkflowQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { explanationQuery } from '../../../api/queries/settings.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Explanations } from '../../../parts/explanations.tsx';
import { Columns, Details, PageHead, Section } from '../../../parts/page.tsx';
import { Time } from '../../../parts/time.tsx';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { useNavigateIfHere } from '../../../parts/use-navigate-if-here.ts';
import { DeleteResource } from '../delete-resource.tsx';
import { DocumentEditor } from '../document-editor.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { WorkflowForm } from './workflow-form.tsx';
import { isWorkflowSpec, type AgentWorkflow } from './workflow-spec.ts';
import { WorkflowState } from './workflow-state.tsx';
import { lazyPart } from '../../../parts/lazy-file.ts';

const RunNow = lazyPart(async () => (await import('./run-now.tsx')).RunNow);
const route = getRouteApi('/signed-in/$org/settings/workflows/$workflow');

/** One AgentWorkflow: its definition, when it starts, and why it did not. */
export function WorkflowPage() {
  const { org, workflow: name } = route.useParams();
  const { view = 'form' } = route.useSearch();
  const navigate = useNavigate();
  const navigateIfHere = useNavigateIfHere();
  const queryClient = useQueryClient();
  const [isStarting, setStarting] = useState(false);
  const { data: item } = useSuspenseQuery(agentWorkflowQuery(org, name));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const { data: roles } = useSuspenseQuery(agentRolesQuery(org));
  const isScheduled = item.spec.triggers.some(({ type }) => type === 'cron');
  const params = { org, workflow: name };
  const readAgain = (): void => {
    void queryClient.invalidateQueries({ queryKey: ['agent-workflows', org] });
    void queryClient.invalidateQueries({ queryKey: ['explanation', org] });
  };
  return (
    <>
      <PageHead
        title={name}
        actions={
          <Button why={findRefusal(item.actions, 'startRun')} onClick={() => setStarting(true)}>
            Run now…
          </Button>
        }
      >
        {item.spec.description ?? 'An AgentWorkflow of the org.'}
      </PageHead>
      <Columns aside={<WorkflowDetails item={item} />}>
        {isScheduled && <Schedule org={org} name={name} />}
        <DocumentEditor
          resource={item}
          action="replaceAgentWorkflow"
          view={view}
          onView={(next) =>
            void navigate({
              to: '/$org/settings/workflows/$workflow',
              params,
              search: next === 'form' ? {} : { view: next },
            })
          }
          isSpec={isWorkflowSpec}
          save={async (body) =>
            await request('put', '/v1/orgs/{org}/agentworkflows/{name}', { params: { org, name }, body })
          }
          onSaved={(saved) => {
            queryClient.setQueryData(agentWorkflowQuery(org, name).queryKey, saved as AgentWorkflow);
            readAgain();
          }}
          onOutdated={() => void queryClient.invalidateQueries(agentWorkflowQuery(org, name))}
        >
          {(value, set, errors) => (
            <WorkflowForm
              spec={value}
              roles={roles.items.map((role) => role.name)}
              timeZone={organization.spec.scheduling?.timeZone ?? ''}
              errors={errors}
              onChange={set}
            />
          )}
        </DocumentEditor>
        <DeleteResource
          kind="AgentWorkflow"
          name={name}
          effect="Started runs keep their copy of it and continue. Nothing starts it afterwards."
          why={findRefusal(item.actions, 'deleteAgentWorkflow')}
          onDelete={async () =>
            await request('delete', '/v1/orgs/{org}/agentworkflows/{name}', { params: { org, name } })
          }
          onDeleted={async () => {
            readAgain();
            await navigateIfHere({ to: '/$org/settings/workflows', params: { org }, ignoreBlocker: true });
          }}
        />
      </Columns>
      {isStarting && (
        <Suspense>
          <RunNow org={org} agentWorkflow={name} onClose={() => setStarting(false)} />
        </Suspense>
      )}
    </>
  );
}

function Schedule({ org, name }: { org: string; name: string }) {
  const { data } = useSuspenseQuery(explanationQuery(org, `schedule:${name}`));
  return (
    <Section
      id="schedule"
      title="Schedule"
      note="Answered by the rule that starts it"
      aside={
        <Link to="/$org/settings/scheduling" params={{ org }}>
          Scheduling of the org
        </Link>
      }
    >
      <Explanations items={data.items} />
    </Section>
  );
}

const WorkflowDetails = ({ item: { org, name, generation, createdAt, status, ...item } }: { item: AgentWorkflow }) => (
  <>
    <section>
      <h2>This AgentWorkflow</h2>
      <Details
        items={[
          ['State', <WorkflowState key="state" item={{ ...item, ...(status && { status }) }} />],
          status?.schedule !== undefined && ['Schedule', status.schedule],
          status?.nextScheduledAt !== undefined && ['Next run', <Time key="next" at={status.nextScheduledAt} />],
          status?.lastScheduledAt !== undefined && ['Last due', <Time key="last" at={status.lastScheduledAt} />],
          ['Version', `${generation}`],
          ['Created', <Time key="created" at={createdAt} />],
          [
            'Events',
            <Link key="deliveries" to="/$org/settings/deliveries" params={{ org }} search={{ workflow: name }}>
              See which events started it
            </Link>,
          ],
        ]}
      />
    </section>
    <CurlLine path={`/orgs/${org}/agentworkflows/${name}`} />
  </>
);
