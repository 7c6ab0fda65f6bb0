import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { modelProviderQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { codehostQuery } from '../../../api/queries/settings.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, Details, PageHead, Section } from '../../../parts/page.tsx';
import { Time } from '../../../parts/time.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { DeleteOrg } from './delete-org.tsx';

const route = getRouteApi('/signed-in/$org/settings/');

/** An org at a glance, with the way to each of its settings. */
export function GeneralPage() {
  const { org } = route.useParams();
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const { data: connection } = useSuspenseQuery(codehostQuery(org));
  const { data: provider } = useSuspenseQuery(modelProviderQuery(org));
  const { spec, status, createdAt } = organization;
  const params = { org };
  const approvals = spec.approvals?.preventSelfApproval ? 'Not by a contributor' : 'By any member';
  return (
    <>
      <PageHead title={`Settings of ${spec.displayName ?? org}`}>
        An org has its Products, people, agents and its account on the code host.
      </PageHead>
      <Columns aside={<CurlLine path={`/orgs/${org}`} />}>
        <Section id="org" title="This org">
          <Details
            items={[
              ['Name', <code key="name">{org}</code>],
              status?.deletionMessage !== undefined && ['Deletion', status.deletionMessage],
              ['Created', <Time key="created" at={createdAt} />],
              ['Account', spec.codehostAccount],
              ['GitOps repo', <code key="gitops">{spec.gitopsRepo}</code>],
              [
                'Code host',
                <Link key="codehost" to="/$org/settings/codehost" params={params}>
                  {connection.connected ? 'Connected' : 'Not connected'}
                </Link>,
              ],
              [
                'Models',
                <Link key="models" to="/$org/settings/models" params={params}>
                  {provider.source === 'none' ? 'No provider' : (provider.model ?? provider.kind ?? 'Set')}
                </Link>,
              ],
              [
                'Scheduling',
                <Link key="scheduling" to="/$org/settings/scheduling" params={params}>
                  {spec.scheduling?.enabled ? `On (${spec.scheduling.timeZone || 'UTC'})` : 'Off'}
                </Link>,
              ],
              [
                'Approvals',
                findRefusal(organization.actions, 'putAccessGroups') === undefined ? (
                  <Link key="approvals" to="/$org/settings/access" params={params}>
                    {approvals}
                  </Link>
                ) : (
                  approvals
                ),
              ],
            ]}
          />
        </Section>
        <DeleteOrg organization={organization} />
      </Columns>
    </>
  );
}
