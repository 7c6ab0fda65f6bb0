import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { ConnectCodehost } from '../settings/codehost/connect-codehost.tsx';
import { InstallationForm } from '../settings/install/installation-form.tsx';
import { ProviderForm } from '../settings/models/provider-form.tsx';
import { findRefusal } from '../../parts/find-refusal.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { InstallChecks, ModelChecks } from './checks.tsx';
import { FirstOrg } from './first-org.tsx';
import { RootUser } from './root-user.tsx';
import { Step } from './step.tsx';
import type { SetupFacts } from './setup-steps.ts';
import type { StepName } from './step-names.ts';

/** The form of a step, and its checks. */
export function StepContent({ name, facts, token }: { name: StepName; facts: SetupFacts; token: string | undefined }) {
  const { hasRootUser, me, org, connection, provider, products } = facts;
  const isAdmin = me?.orgs[0]?.role === 'org-admin';
  if (!hasRootUser) return <RootUser givenToken={token} />;
  if (!me)
    return (
      <Step title="Sign in to go on" lead="The root user of this installation exists.">
        <ButtonLink look="primary" to="/signin" search={{ to: '/setup' }}>
          Sign in
        </ButtonLink>
      </Step>
    );
  if (name === 'root')
    return (
      <Step
        title="The root user exists"
        lead={`You are signed in as ${me.email}. Each line below is tried against the real thing.`}
      >
        <InstallChecks />
      </Step>
    );
  if (name === 'domain')
    return (
      <Step
        title="Under which domain are zones served?"
        lead="Each zone gets its own name under the platform domain. DNS is asked before anything is saved; a record that is missing can follow later."
      >
        {me.platformAdmin ? (
          <Suspense>
            <InstallationForm />
          </Suspense>
        ) : (
          <p>Platform admins choose the domain.</p>
        )}
      </Step>
    );
  if (name === 'org' || org === undefined)
    return org === undefined ? (
      <FirstOrg canCreate={me.platformAdmin} />
    ) : (
      <Step
        title={`The org ${org} exists`}
        lead="An org has its Products, people, agents and account on the code host."
      >
        {isAdmin && (
          <p>
            <Link to="/$org/settings/access" params={{ org }}>
              Let people into {org}
            </Link>
          </p>
        )}
      </Step>
    );
  if (name === 'codehost')
    return (
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
            <OutsideLink href={`${connection.url}/installations/new`}>Grant the app access to repos</OutsideLink>
          </p>
        )}
      </Step>
    );
  if (name === 'models')
    return (
      <Step
        title="Where do agents get their models?"
        lead="The provider is tried with a request before it is saved. Without one, agents cannot work; everything else can."
      >
        {provider && <ProviderForm key={provider.resourceVersion ?? provider.source} provider={provider} />}
        {provider && provider.source !== 'none' && findRefusal(provider.actions, 'putModelProvider') === undefined && (
          <ModelChecks org={org} />
        )}
      </Step>
    );
  return (
    <Step
      title={products?.length ? `${org} has a Product` : 'Ship the first Product'}
      lead="From a template, from a repo of yours, or from an archive. Its first Release follows without another click."
    >
      {products?.length ? (
        <ButtonLink to="/$org" params={{ org }}>
          See the Products
        </ButtonLink>
      ) : (
        <ButtonLink look="primary" to="/$org/products/new" params={{ org }}>
          Create a Product
        </ButtonLink>
      )}
    </Step>
  );
}
