import type { Schemas } from '../../api/generated/openapi.ts';
import type { Me } from '../../api/types.ts';
import { stepNames, type StepName } from './step-names.ts';

export type SetupFacts = {
  hasRootUser: boolean;
  me: Me | undefined;
  /** The first org of the person. */
  org: string | undefined;
  connection: Schemas['CodehostConnection'] | undefined;
  provider: Schemas['ModelProvider'] | undefined;
  /** The names of the Products of the org. */
  products: string[] | undefined;
};

export type SetupStep = { name: StepName; title: string; note: string; isDone: boolean };

/** The steps of setting up, each with what is known of it. */
export function listSetupSteps({ hasRootUser, me, org, connection, provider, products }: SetupFacts): SetupStep[] {
  const hasModels = provider !== undefined && provider.source !== 'none';
  return [
    {
      name: 'root',
      title: 'Root user',
      note: me?.email ?? (hasRootUser ? 'Exists' : 'With the setup token'),
      isDone: hasRootUser,
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
  const open = steps.findIndex(({ isDone }) => !isDone);
  const required = steps.slice(0, 2).findIndex(({ isDone }) => !isDone);
  const index = stepNames.findIndex((name) => name === asked);
  const isReachable = index !== -1 && (required === -1 || index <= required);
  return steps[isReachable ? index : open === -1 ? steps.length - 1 : open] as SetupStep;
}
