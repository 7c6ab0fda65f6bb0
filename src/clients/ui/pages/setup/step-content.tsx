import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { InstallationForm } from '../settings/install/installation-form.tsx';
import { ProviderForm } from '../settings/models/provider-form.tsx';
import { findRefusal } from '../../parts/find-refusal.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { InstallChecks, ModelChecks } from './checks.tsx';
import { CodehostStep } from './codehost-step.tsx';
import { FirstOrg } from './first-org.tsx';
import { MetricsStep } from './metrics-step.tsx';
import { ProductStep } from './product-step.tsx';
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
      <Step title="Sign in to continue" lead="The root user of this installation exists.">
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
  if (name === 'metrics') return <MetricsStep />;
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
  if (name === 'codehost') return <CodehostStep org={org} connection={connection} isAdmin={isAdmin} />;
  if (name === 'models')
    return (
      <Step
        title="Where do agents get their models?"
        lead="A test request is sent to the provider before it is saved. Without a provider, agents cannot work; everything else can."
      >
        {provider && <ProviderForm provider={provider} />}
        {provider && provider.source !== 'none' && findRefusal(provider.actions, 'putModelProvider') === undefined && (
          <ModelChecks org={org} />
        )}
      </Step>
    );
  return <ProductStep org={org} product={products?.[0]} isConnected={connection?.connected === true} />;
}
