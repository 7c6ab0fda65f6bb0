import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { agentWorkflowsQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { request } from '../../../api/request.ts';
import { CheckField } from '../../../parts/form-fields.tsx';
import { Columns, Empty, PageHead, Section } from '../../../parts/page.tsx';
import { CurlLine } from '../../../parts/curl-line.tsx';
import table from '../../../parts/table.module.css';
import { TimeZoneField } from '../../../parts/time-zone-field.tsx';
import { OrgForm } from '../org-form.tsx';
import { ScheduleTimes } from '../workflows/schedule-times.tsx';
import type { AgentWorkflow } from '../workflows/workflow-spec.ts';

const route = getRouteApi('/signed-in/$org/settings/scheduling');

/** Whether schedules start runs, and the time zone that they are read in. */
export function SchedulingPage() {
  const { org } = route.useParams();
  const queryClient = useQueryClient();
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const { data: workflows } = useSuspenseQuery(agentWorkflowsQuery(org));
  const scheduled = workflows.items.filter(({ spec }) => spec.triggers.some(({ type }) => type === 'cron'));
  const { timeZone } = readScheduling(organization);
  return (
    <>
      <PageHead title="Scheduling">
        A schedule of an AgentWorkflow starts one run for each Product that has a repo. Run now works without it.
      </PageHead>
      <Columns aside={<CurlLine path={`/orgs/${org}`} />}>
        <OrgForm
          organization={organization}
          read={readScheduling}
          action="putScheduling"
          label="Scheduling"
          save={async (body, headers) =>
            await request('put', '/v1/orgs/{org}/scheduling', { params: { org }, body, headers })
          }
          onSaved={() => {
            void queryClient.invalidateQueries({ queryKey: ['agent-workflows', org] });
            void queryClient.invalidateQueries({ queryKey: ['explanation', org] });
          }}
        >
          {(value, set) => (
            <>
              <CheckField
                label="Scheduled runs"
                hint="At most one missed time is caught up after they were off."
                pointer="/enabled"
                checked={value.enabled}
                onChange={(next) => set({ ...value, enabled: next })}
              />
              <TimeZoneField
                pointer="/timeZone"
                value={value.timeZone}
                saved={timeZone}
                onChange={(next) => set({ ...value, timeZone: next })}
              />
            </>
          )}
        </OrgForm>
        <Section id="schedules" title="Schedules" note="By the saved settings">
          <Schedules items={scheduled} timeZone={timeZone} />
        </Section>
      </Columns>
    </>
  );
}

const readScheduling = ({ spec }: Pick<Schemas['Organization'], 'spec'>): { enabled: boolean; timeZone: string } => ({
  enabled: spec.scheduling?.enabled ?? false,
  timeZone: spec.scheduling?.timeZone ?? '',
});

function Schedules({ items, timeZone }: { items: AgentWorkflow[]; timeZone: string }) {
  if (items.length === 0)
    return (
      <Empty title="No AgentWorkflow has a schedule">
        <p>Add a trigger of the kind “A schedule is due” to one of them.</p>
      </Empty>
    );
  return (
    <table className={table['tbl']}>
      <thead>
        <tr>
          <th scope="col">AgentWorkflow</th>
          <th scope="col">Schedule</th>
          <th scope="col">When it is on</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ org, name, spec, status }) => {
          const crons = spec.triggers.flatMap((trigger) => (trigger.type === 'cron' ? [trigger.schedule] : []));
          return (
            <tr key={name}>
              <th scope="row">
                <Link
                  className={table['title']}
                  to="/$org/settings/workflows/$workflow"
                  params={{ org, workflow: name }}
                >
                  {name}
                </Link>
              </th>
              <td data-l="Schedule">{status?.schedule ?? crons.join(' and ')}</td>
              <td>
                <ScheduleTimes crons={crons} timeZone={timeZone} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
