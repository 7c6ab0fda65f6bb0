import type { Schemas } from '../../api/generated/openapi.ts';
import type { Me } from '../../api/types.ts';
import { requiredSteps, stepNames, type StepName } from './step-names.ts';

export type SetupFacts = {
  hasRootUser: boolean;
  me: Me | undefined;
  /** The settings of the installation; only platform admins may read them. */
  installation: Schemas['InstallationSettings'] | undefined;
  status: Schemas['Installation'] | undefined;
  /** The first org of the person. */
  org: string | undefined;
  connection: Schemas['CodehostConnection'] | undefined;
  provider: Schemas['ModelProvider'] | undefined;
  /** The names of the Products of the org. */
  products: string[] | undefined;
};

export type SetupStep = { name: StepName; title: string; note: string; isDone: boolean };

/** The steps of setting up, each with what is known of it. */
export function listSetupSteps({
  hasRootUser,
  me,
  installation,
  status,
  org,
  connection,
  provider,
  products,
}: SetupFacts): SetupStep[] {
  const hasModels = provider !== undefined && provider.source !== 'none';
  return [
    {
      name: 'root',
      title: 'Root user',
      note: me?.email ?? (hasRootUser ? 'Exists' : 'With the setup token'),
      isDone: hasRootUser,
    },
    {
      name: 'domain',
      title: 'Platform domain',
      note: installation?.platformDomain ?? (me?.platformAdmin === false ? 'Set by platform admins' : 'Can be skipped'),
      isDone: me?.platformAdmin === false || installation?.checkedAt !== undefined,
    },
    {
      name: 'metrics',
      title: 'Metrics',
      note: status?.metrics.reachable ? 'Prometheus answers' : 'Can be skipped',
      isDone: status?.metrics.reachable === true,
    },
    { name: 'org', title: 'Org', note: org ?? 'Its name', isDone: org !== undefined },
    {
      name: 'codehost',
      title: 'Code host',
      note: connection?.connected ? `App ${connection.slug ?? 'created'}` : 'Not connected',
      isDone: connection?.connected === true,
    },
    {
      name: 'models',
      title: 'Model provider',
      note: hasModels ? (provider.model ?? provider.kind ?? 'Set') : 'Can be skipped',
      isDone: hasModels,
    },
    {
      name: 'product',
      title: 'First Product',
      note: products?.[0] ?? 'A template, or your repo',
      isDone: products !== undefined && products.length > 0,
    },
  ];
}

/** The step to show: the one of the URL if it can be opened, or else the first that is not done. */
export function pickStep(steps: SetupStep[], asked: StepName | undefined): SetupStep {
  // A step before the org that was skipped is not asked again once the org exists.
  const past = steps.findLastIndex(({ name, isDone }) => isDone && requiredSteps.includes(name));
  const open = steps.findIndex(({ isDone }, index) => index > past && !isDone);
  const required = steps.findIndex(({ name, isDone }) => !isDone && requiredSteps.includes(name));
  const index = stepNames.findIndex((name) => name === asked);
  const isReachable = index !== -1 && (required === -1 || index <= required);
  return steps[isReachable ? index : open === -1 ? steps.length - 1 : open] as SetupStep;
}
