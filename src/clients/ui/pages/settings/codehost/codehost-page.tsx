import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { orgQuery } from '../../../api/queries/products.ts';
import { codehostQuery } from '../../../api/queries/settings.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { OutsideLink } from '../../../parts/outside-link.tsx';
import { Columns, Details, PageHead, Section } from '../../../parts/page.tsx';
import { Mark } from '../../../parts/state.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { ConnectCodehost } from './connect-codehost.tsx';
import { GitopsCheck } from './gitops-check.tsx';

const route = getRouteApi('/signed-in/$org/settings/codehost');

/** The app through which the service reads and writes the repos of an org. */
export function CodehostPage() {
  const { org } = route.useParams();
  const { data: connection } = useSuspenseQuery(codehostQuery(org));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const { codehostAccount, gitopsRepo } = organization.spec;
  return (
    <>
      <PageHead title="Code host">
        <span className="row">
          <Mark state={connection.connected ? 'done' : 'warn'} />
          {connection.connected ? `Connected to ${codehostAccount}` : 'Not connected'}
        </span>
      </PageHead>
      <Columns aside={<CurlLine path={`/orgs/${org}/codehost`} />}>
        <Section id="app" title="App" note="It belongs to the org, and has only the permissions that the service uses">
          <Details
            items={[
              ['Account', codehostAccount],
              ['GitOps repo', <code key="gitops">{gitopsRepo}</code>],
              connection.slug !== undefined && ['App', connection.slug],
              connection.url !== undefined && [
                'Repos',
                <OutsideLink key="grant" href={`${connection.url}/installations/new`}>
                  Grant it access to repos
                </OutsideLink>,
              ],
              [
                'Events',
                <Link key="deliveries" to="/$org/settings/deliveries" params={{ org }}>
                  See what each event started
                </Link>,
              ],
              connection.url !== undefined && [
                'Deliveries',
                <OutsideLink key="url" href={connection.url}>
                  Send a delivery again at the code host
                </OutsideLink>,
              ],
            ]}
          />
        </Section>
        {connection.connected && <GitopsCheck org={org} />}
        <Section id="connect" title={connection.connected ? 'Connect again' : 'Connect'}>
          <p className="dim">
            {connection.connected
              ? 'This creates another app and replaces the credentials. Webhooks of the current app are accepted for one more day.'
              : 'The code host asks you to create the app, then leads back here. Without it, no Change can start.'}
          </p>
          <ConnectCodehost
            org={org}
            isConnected={connection.connected}
            why={findRefusal(organization.actions, 'connectCodehost')}
          />
        </Section>
      </Columns>
    </>
  );
}
