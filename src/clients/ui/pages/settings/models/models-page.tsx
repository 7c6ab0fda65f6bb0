import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { modelProviderQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { request } from '../../../api/request.ts';
import { changeObject } from '../../../parts/change-object.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { CheckField, NumberField } from '../../../parts/form-fields.tsx';
import { Columns, Details, PageHead, Section } from '../../../parts/page.tsx';
import { OrgForm } from '../org-form.tsx';
import { ModelTable } from './model-table.tsx';
import { ProviderForm } from './provider-form.tsx';

const route = getRouteApi('/signed-in/$org/settings/models');
const sources = {
  org: 'A provider of the org',
  installation: 'The provider of the installation',
  none: 'None: agents cannot work',
};

/** The provider of an org's models, what its agents may spend, and the prices that costs are counted with. */
export function ModelsPage() {
  const { org } = route.useParams();
  const { data: provider } = useSuspenseQuery(modelProviderQuery(org));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  return (
    <>
      <PageHead title="Models">Where the agents of {org} get their models, and what they may spend.</PageHead>
      <Columns
        aside={
          <>
            <section>
              <h2>In use now</h2>
              <Details
                items={[
                  ['Source', sources[provider.source]],
                  provider.kind !== undefined && ['Kind', provider.kind],
                  provider.model !== undefined && ['Model', provider.model],
                  provider.baseUrl !== undefined && ['URL', <code key="url">{provider.baseUrl}</code>],
                  ['Key', provider.hasKey ? 'Stored; it is never shown' : 'None stored'],
                ]}
              />
            </section>
            <CurlLine path={`/orgs/${org}/model-provider`} />
          </>
        }
      >
        <Section id="provider" title="Provider" note="Tested with a request before it is saved">
          <ProviderForm provider={provider} />
        </Section>
        <Section id="limits" title="Limits of agents" note="From their next turn on">
          <OrgForm
            organization={organization}
            read={({ spec }) => spec.agents ?? {}}
            action="putAgentLimits"
            label="Limits of agents"
            save={async (body, headers) =>
              await request('put', '/v1/orgs/{org}/agent-limits', { params: { org }, body, headers })
            }
          >
            {(value, set) => (
              <>
                <NumberField
                  label="Daily cost limit"
                  hint="US dollars for all runs of the org, per day in UTC; empty for no limit."
                  pointer="/costUsdPerDay"
                  min={0.01}
                  step="any"
                  value={value.costUsdPerDay}
                  onChange={(costUsdPerDay) => set(changeObject(value, { costUsdPerDay }))}
                />
                <NumberField
                  label="Runs for one issue or pull request, per hour"
                  hint="Empty for 20. Further events start nothing."
                  pointer="/runsPerTargetPerHour"
                  min={1}
                  max={1000}
                  value={value.runsPerTargetPerHour}
                  onChange={(runsPerTargetPerHour) => set(changeObject(value, { runsPerTargetPerHour }))}
                />
                <CheckField
                  label="AgentRoles may use the network"
                  hint="Only those that ask for it, and only if the installation allows it."
                  pointer="/allowNetwork"
                  checked={value.allowNetwork === true}
                  onChange={(isAllowed) => set(changeObject(value, { allowNetwork: isAllowed ? true : undefined }))}
                />
              </>
            )}
          </OrgForm>
        </Section>
        <ModelTable org={org} actions={provider.actions} />
      </Columns>
    </>
  );
}
