import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';
import { googleSpec } from '../../support/servers/test-cloud.ts';
import { operate } from './settings-fixture.ts';

export type Hand = ReturnType<typeof operate>;

/** A form that writes a resource. */
export type SettingsForm = {
  name: string;
  operation: string;
  path: string;
  /** Opens the form, and changes something, so that it can be sent. */
  edit: (hand: Hand, page: Page) => Promise<unknown>;
  /** The button that sends it. */
  send: string;
  /** Translates a place in the document to that of what the form edits. */
  toPointer?: (pointer: string) => string;
};

export const submit = (label: string): string => `form[aria-label="${label}"] button[type=submit]`;
export const choose = async (page: Page, label: string, value: string): Promise<unknown> =>
  await page.locator(`::-p-aria([name="${label}"][role="combobox"])`).fill(value);

/** Chooses a file with the content in the only field for files. */
export async function chooseFile(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  const file = join(await createFolder(), name);
  await writeFile(file, content);
  const field = (await page.waitForSelector('input[type=file]')) as ElementHandle<HTMLInputElement>;
  await field.uploadFile(file);
}

export const settingsForms: SettingsForm[] = [
  {
    name: 'Scheduling',
    operation: 'putScheduling',
    path: '/acme/settings/scheduling',
    edit: async ({ check }) => await check('Scheduled runs'),
    send: submit('Scheduling'),
  },
  {
    name: 'Settings of the installation',
    operation: 'checkInstallation',
    path: '/settings',
    edit: async ({ fill }) => {
      await fill('Platform domain', 'apps.harbor.example');
      await fill('Roots of managed domains', 'sites.harbor.example');
    },
    send: submit('Settings of the installation'),
  },
  {
    name: 'Image registry',
    operation: 'putImageRegistry',
    path: '/settings',
    edit: async ({ fill }) => {
      await fill('Host', 'ghcr.io');
      await fill('Repository prefix', 'delivery');
      await fill('Account of builds', 'ada');
      await fill('Password of builds', 'correct-horse');
      await fill('Account of zones', 'grace');
      await fill('Password of zones', 'battery-staple');
    },
    send: submit('Image registry'),
  },
  {
    name: 'License',
    operation: 'putLicense',
    path: '/settings/licence',
    edit: async ({ fill }) => await fill('Licence', 'lic1.'),
    send: submit('Install a licence'),
  },
  {
    name: 'Schedule of backups',
    operation: 'putBackupSettings',
    path: '/settings/backups',
    edit: async ({ check, fill }) => {
      await check('Back up on a schedule');
      await fill('Schedule', '0 3 * * *');
    },
    send: submit('Schedule and retention'),
  },
  {
    name: 'Limits of agents',
    operation: 'putAgentLimits',
    path: '/acme/settings/models',
    edit: async ({ fill }) => await fill('Daily cost limit', '5', 'spinbutton'),
    send: submit('Limits of agents'),
  },
  {
    name: 'Provider',
    operation: 'putModelProvider',
    path: '/acme/settings/models',
    edit: async ({ fill }) => await fill('Model', 'large'),
    send: submit('Provider'),
  },
  {
    name: 'Provider on Bedrock',
    operation: 'putModelProvider',
    path: '/acme/settings/models',
    edit: async ({ fill }, page) => {
      await choose(page, 'Kind', 'bedrock');
      await fill('Model', 'large');
      await fill('Region', 'eu-central-1');
    },
    send: submit('Provider'),
  },
  {
    name: 'Price',
    operation: 'putModelPrices',
    path: '/acme/settings/models',
    edit: async ({ press, fill }) => {
      await press('Set price of scripted');
      await fill('Input', '3', 'spinbutton');
      await fill('Output', '15', 'spinbutton');
    },
    send: submit('Price of scripted'),
  },
  {
    name: 'Registry',
    operation: 'putRegistry',
    path: '/acme/settings/registries',
    edit: async ({ press }, page) => {
      await press('Edit images');
      await page.locator('form[aria-label="Edit images"] input[type=password]').fill('correct-horse');
    },
    send: submit('Edit images'),
  },
  {
    name: 'Identity provider',
    operation: 'replaceIdentityProvider',
    path: '/settings/users',
    edit: async ({ press, fill }) => {
      await press('Edit sso');
      await fill('Client id', 'delivery-2');
    },
    send: submit('Edit sso'),
  },
  {
    name: 'Account of AWS',
    operation: 'replaceCloudAccount',
    path: '/acme/settings/cloud-accounts',
    edit: async ({ press, fill }) => {
      await press('Edit production');
      await fill('Region', 'eu-west-1');
    },
    send: submit('Edit production'),
  },
  {
    name: 'Account of Google Cloud',
    operation: 'replaceCloudAccount',
    path: '/acme/settings/cloud-accounts',
    edit: async ({ press, fill }, page) => {
      await press('Edit production');
      await choose(page, 'Cloud', 'google');
      await fill('Workload identity provider', googleSpec.workloadIdentityProvider);
      await fill('Service account', googleSpec.serviceAccount);
    },
    send: submit('Edit production'),
  },
  {
    name: 'Access groups',
    operation: 'putAccessGroups',
    path: '/acme/settings/access',
    edit: async ({ press, fill }) => {
      await press('Edit team');
      await fill('Members', 'priya@example.com\nlars@example.com\n');
      await fill('Groups of Example SSO', 'developers\n');
      await press('Close');
    },
    send: submit('Access groups'),
  },
  {
    name: 'Approvals',
    operation: 'putApprovals',
    path: '/acme/settings/access',
    edit: async ({ press, fill }) => {
      await press('Add an account');
      await fill('E-mail address', 'priya@example.com');
      await fill('Account', 'priya');
    },
    send: submit('Approvals'),
  },
  {
    name: 'AgentRole',
    operation: 'replaceAgentRole',
    path: '/acme/settings/roles/architect',
    edit: async ({ fill }) => await fill('Model', 'small', 'combobox'),
    send: submit('Definition of architect'),
  },
  {
    name: 'AgentWorkflow with a schedule',
    operation: 'replaceAgentWorkflow',
    path: '/acme/settings/workflows/nightly',
    edit: async ({ fill }) => await fill('Description', 'Looks for news.'),
    send: submit('Definition of nightly'),
  },
  {
    name: 'AgentWorkflow for pull requests',
    operation: 'replaceAgentWorkflow',
    path: '/acme/settings/workflows/nightly',
    edit: async (_hand, page) => {
      await choose(page, 'When', 'onChange');
      await page.locator('summary ::-p-text(1. report)').click();
      await choose(page, 'Posts its draft', 'issue');
    },
    send: submit('Definition of nightly'),
  },
  {
    name: 'Zone',
    operation: 'replaceProduct',
    path: '/acme/products/shop/zones/shop-prod/settings',
    edit: async (_hand, page) => await page.locator('input[name=replicas]').fill('4'),
    send: 'button[form=settings]',
    toPointer: (pointer) => pointer.replace('/zones/0', '/zones/1'),
  },
  {
    name: 'Product',
    operation: 'replaceProduct',
    path: '/acme/products/shop/settings',
    edit: async ({ fill }) => await fill('Title', 'Ferries'),
    send: 'main form button[type=submit]',
  },
  {
    name: 'Product with an SLO of latency',
    operation: 'replaceProduct',
    path: '/acme/products/shop/settings',
    edit: async (_hand, page) => {
      await page.locator('summary ::-p-text(payments-answered)').click();
      await choose(page, 'Good are', 'latency');
    },
    send: 'main form button[type=submit]',
  },
];
