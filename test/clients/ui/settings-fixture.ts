import type { Page } from 'puppeteer-core';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { AccessGroupKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { agentWorkflowLabel, DeliveryKind } from '../../../src/rules/intake/kinds.ts';
import { CloudAccountKind } from '../../../src/rules/cloud-accounts/kinds.ts';
import { type ClusterFinding, ClusterKind } from '../../../src/rules/clusters/kinds.ts';
import { imageRegistryRef, toImageRegistryData } from '../../../src/rules/registries/image-registry.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { seedOrg } from '../../../src/reconcile/seed-org.ts';
import type { Store } from '../../../src/store/store.ts';
import { readPage } from '../../support/servers/open-chromium.ts';
import { awsSpec } from '../../support/servers/test-cloud.ts';
import { credentials } from './ui-fixture.ts';

const namespace = 'org-acme';

/** Gives the org "acme" its default agents, an AgentWorkflow with a schedule, two deliveries of the code host, and costs. */
export async function seedSettings(store: Store): Promise<void> {
  await seedOrg(store, 'acme');
  await store.create(AgentWorkflowKind, {
    metadata: { namespace, name: 'nightly' },
    spec: {
      description: 'Looks for dependencies that are out of date.',
      enabled: true,
      triggers: [{ type: 'cron', schedule: '0 6 * * 1' }],
      steps: [{ name: 'report', type: 'agent', role: 'architect', mode: 'report' }],
    },
  });
  const deliveries = {
    one: { event: 'issue.labeled', label: 'service', number: 418, run: 'change-shop-418' },
    two: { event: 'issue.labeled', label: 'bug', number: 422, reason: 'label-mismatch' as const },
  };
  for (const [name, rest] of Object.entries(deliveries))
    await store.create(DeliveryKind, {
      metadata: { namespace, name, labels: { [agentWorkflowLabel]: 'change' } },
      spec: {
        agentWorkflow: 'change',
        deliveryId: `delivery-${name}`,
        repo: 'acme/shop',
        at: new Date().toISOString(),
        ...rest,
      },
    });
  const lastCheck = { access: 'pull-and-push' as const, at: new Date().toISOString() };
  const images = {
    name: 'images',
    host: 'registry.example.com',
    repositoryPrefix: 'acme',
    username: 'ada',
    password: 'x',
  };
  await store.create(SecretKind, {
    metadata: { namespace, name: registriesSecretName },
    type: 'Opaque',
    data: toRegistriesData([{ ...images, lastCheck }]),
  });
  await store.create(SecretKind, {
    metadata: imageRegistryRef,
    type: 'Opaque',
    data: toImageRegistryData({ push: { ...images, lastCheck }, pull: { ...images, lastCheck }, previous: [] }),
  });
  const production = { namespace, name: 'production' };
  await store.create(CloudAccountKind, { metadata: production, spec: awsSpec });
  const check = {
    result: 'refused' as const,
    code: 'AccessDenied',
    message: 'Not authorized to perform sts:AssumeRoleWithWebIdentity',
    fix: 'Let the trust policy of the role allow it.',
    generation: 1,
    at: new Date().toISOString(),
  };
  await store.updateStatus(CloudAccountKind, production, () => ({ lastCheck: check }));
  const metadata = { namespace: 'service-system', name: 'eu-west' };
  await store.create(ClusterKind, { metadata, spec: { label: 'Europe' } });
  const findings: ClusterFinding[] = [
    { subject: 'connection', result: 'ok', message: 'It accepts the account.' },
    { subject: 'storage', result: 'warning', message: 'It has no default StorageClass.', fix: 'Annotate one.' },
  ];
  const checkedAt = new Date().toISOString();
  await store.updateStatus(ClusterKind, metadata, () => ({ version: 'v1.34.2', checkedAt, findings }));
  const license = toSecretData({ license: 'lic1.cut' });
  await store.create(SecretKind, {
    metadata: { namespace: 'service-system', name: 'service-license' },
    type: 'Opaque',
    data: license,
  });
  await spend(store, 'shop', 4_860_000);
  await spend(store, 'tickets', 1_140_000);
}

async function spend(store: Store, product: string, costMicroUsd: number): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const metadata = { namespace, name: `run-${product}` };
  const spec = { run: `run-${product}`, product, agentWorkflow: 'change', day };
  await store.create(TurnLedgerKind, { metadata, spec });
  const usage = { inputTokens: 1_200_000, outputTokens: 84_300, cachedInputTokens: 1_000_000, costMicroUsd };
  await store.updateStatus(TurnLedgerKind, metadata, () => ({
    steps: [
      {
        step: 'implement',
        role: 'implementer',
        latestTurn: { turn: 1, model: 'small', usage },
        earlierTurns: [],
      },
    ],
  }));
}

/** Lets the person of the UI change the settings of the org. */
export async function makeOrgAdmin(store: Store): Promise<void> {
  const group = await store.get(AccessGroupKind, { namespace, name: 'team' });
  await store.replace(AccessGroupKind, { ...group, spec: { ...group.spec, role: 'org-admin' } });
}

/** Adds an identity provider that people could sign in through, and returns its uid. */
export async function addIdentityProvider(store: Store): Promise<string> {
  const metadata = { namespace: 'service-system', name: 'sso' };
  const spec = { label: 'Example SSO', issuer: 'https://sso.example.com', clientId: 'delivery-platform' };
  return (await store.create(IdentityProviderKind, { metadata, spec })).metadata.uid;
}

/** Lets a person, by default that of the UI, administer the installation. */
export async function makePlatformAdmin(store: Store, email = credentials.email): Promise<void> {
  const user = await store.get(UserKind, { namespace: 'service-system', name: userName(email) });
  await store.replace(UserKind, { ...user, spec: { ...user.spec, platformAdmin: true } });
}

/** Operates a page by the names that a screen reader says. */
export function operate(page: Page) {
  const find = (name: string, role: string) => page.locator(`::-p-aria([name="${name}"][role="${role}"])`);
  return {
    press: async (name: string): Promise<void> => await find(name, 'button').click(),
    follow: async (name: string): Promise<void> => await find(name, 'link').click(),
    check: async (name: string): Promise<void> => await find(name, 'checkbox').click(),
    fill: async (name: string, text: string, role = 'textbox'): Promise<void> => await find(name, role).fill(text),
    /** Waits until the page says something, in any letter case. */
    says: async (text: string): Promise<void> => {
      const expression = `document.body.innerText.toLowerCase().includes(${JSON.stringify(text.toLowerCase())})`;
      await page.waitForFunction(expression, { timeout: 60_000 }).catch(async (error: unknown) => {
        throw new Error(`The page does not say "${text}": ${await readPage(page)}`, { cause: error });
      });
    },
    /** Waits until the field with the focus is described by a text, as after a rejected request. */
    focusSays: async (text: string): Promise<void> => {
      await page.waitForFunction(
        `document.getElementById(document.activeElement?.getAttribute('aria-describedby') ?? '')?.innerText.includes(${JSON.stringify(text)})`,
      );
    },
  };
}
