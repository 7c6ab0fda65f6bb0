import type { Schemas } from '../../api/generated/openapi.ts';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { ConnectCodehost } from '../settings/codehost/connect-codehost.tsx';
import { GitopsCheck } from '../settings/codehost/gitops-check.tsx';
import { Step } from './step.tsx';

type Props = { org: string; connection: Schemas['CodehostConnection'] | undefined; isAdmin: boolean };

/** Connects the org, and says which repo the state of its zones is written to. */
export const CodehostStep = ({ org, connection, isAdmin }: Props) => (
  <Step
    title={connection?.connected ? 'The code host is connected' : 'Connect the code host'}
    lead="An app of the org reads its repos, writes branches and pull requests, and sends events. The code host asks you to create it, then leads back here."
  >
    <ConnectCodehost
      org={org}
      isConnected={connection?.connected === true}
      why={isAdmin ? undefined : 'Only an org admin may connect the code host.'}
    />
    {connection?.url !== undefined && (
      <p>
        The app sees only the repos that its owner allows:{' '}
        <OutsideLink href={`${connection.url}/installations/new`}>Grant the app access to repos</OutsideLink>
      </p>
    )}
    {connection?.connected ? (
      <GitopsCheck org={org} />
    ) : (
      <p>
        The service writes the state of all zones to the repo <code>{connection?.gitopsRepo}</code>, and creates it with
        the first promotion.
      </p>
    )}
  </Step>
);
