import type { Page } from 'puppeteer-core';
import { buildZip } from '../../support/build-zip.ts';
import { awsSpec, googleSpec } from '../../support/servers/test-cloud.ts';
import { choose, chooseFile, submit, type Hand, type SettingsForm } from './settings-forms.ts';

export const inDialog = '[role=dialog] button[type=submit]';

/** The forms that create a resource. */
export const creationForms: SettingsForm[] = [
  {
    name: 'New person',
    operation: 'createUser',
    path: '/settings/users',
    edit: async ({ fill }) => {
      await fill('E-mail address', 'lars@example.com');
      await fill('First password', 'a long enough password');
    },
    send: submit('Add a person'),
  },
  {
    name: 'New password of another person',
    operation: 'resetPassword',
    path: '/settings/users',
    edit: async ({ press, fill }) => {
      await press('Reset password of root@example.com');
      await fill('New password', 'a long enough password');
    },
    send: submit('New password of root@example.com'),
  },
  {
    name: 'New password of your own',
    operation: 'changePassword',
    path: '/settings/account',
    edit: async ({ fill }) => {
      await fill('Current password', 'the password of today');
      await fill('New password', 'a long enough password');
    },
    send: submit('Change your password'),
  },
  {
    name: 'New identity provider',
    operation: 'createIdentityProvider',
    path: '/settings/users',
    edit: async ({ fill }) => {
      await fill('Name', 'sso');
      await fill('Display name', 'Example SSO');
      await fill('Issuer', 'https://sso.example.com');
      await fill('Client id', 'delivery');
    },
    send: submit('Add an identity provider'),
  },
  {
    name: 'New restore',
    operation: 'createRestore',
    path: '/settings/backups',
    edit: async ({ fill }) => await fill('Recovery key', 'AGE-SECRET-KEY-1'),
    send: submit('Check an archive'),
  },
  {
    name: 'New org',
    operation: 'createOrg',
    path: '/settings/orgs',
    edit: async ({ fill }) => await fill('Name', 'globex'),
    send: submit('Create an org'),
  },
  {
    name: 'New token',
    operation: 'mintToken',
    path: '/settings/tokens',
    edit: async ({ fill }) => await fill('Label', 'script'),
    send: submit('Create a token'),
  },
  {
    name: 'New cluster',
    operation: 'createCluster',
    path: '/settings/clusters',
    edit: async ({ fill }) => {
      await fill('Name', 'eu-west');
      await fill('Kubeconfig', 'apiVersion: v1');
    },
    send: submit('Add a cluster'),
  },
  {
    name: 'New cluster of a cloud account',
    operation: 'createCluster',
    path: '/settings/clusters',
    edit: async ({ fill }, page) => {
      await fill('Name', 'eu-west');
      await choose(page, 'Sign in with', 'cloud');
      await choose(page, 'Org of the account', 'acme');
      await choose(page, 'Cloud account', 'production');
      await fill('Cluster at the cloud', 'zones');
    },
    send: submit('Add a cluster'),
  },
  {
    name: 'New registry',
    operation: 'createRegistry',
    path: '/acme/settings/registries',
    edit: async ({ fill }) => {
      await fill('Name', 'more');
      await fill('Host', 'ghcr.io');
      await fill('Account', 'ada');
      await fill('Password or access token', 'correct-horse');
    },
    send: submit('Connect a registry'),
  },
  {
    name: 'New account of AWS',
    operation: 'createCloudAccount',
    path: '/acme/settings/cloud-accounts',
    edit: async ({ fill }) => {
      await fill('Name', 'more');
      await fill('Role ARN', awsSpec.roleArn);
      await fill('Region', awsSpec.region);
    },
    send: submit('Add a cloud account'),
  },
  {
    name: 'New account of Google Cloud',
    operation: 'createCloudAccount',
    path: '/acme/settings/cloud-accounts',
    edit: async ({ fill }, page) => {
      await fill('Name', 'more');
      await choose(page, 'Cloud', 'google');
      await fill('Workload identity provider', googleSpec.workloadIdentityProvider);
      await fill('Service account', googleSpec.serviceAccount);
    },
    send: submit('Add a cloud account'),
  },
  {
    name: 'New AgentRole',
    operation: 'createAgentRole',
    path: '/acme/settings/roles',
    edit: async ({ fill }) => await fill('Name', 'editor'),
    send: submit('Add an AgentRole'),
  },
  {
    name: 'Copy of an AgentRole',
    operation: 'createAgentRole',
    path: '/acme/settings/roles',
    edit: async ({ fill }, page) => {
      await fill('Name', 'editor');
      await choose(page, 'Begin with', 'architect');
    },
    send: submit('Add an AgentRole'),
  },
  {
    name: 'New AgentWorkflow',
    operation: 'createAgentWorkflow',
    path: '/acme/settings/workflows',
    edit: async ({ fill }) => await fill('Name', 'weekly'),
    send: submit('Add an AgentWorkflow'),
  },
  {
    name: 'New domain',
    operation: 'createDomain',
    path: '/acme/domains',
    edit: async ({ press, fill }) => {
      await press('Add domain');
      await fill('Name', 'example.com');
    },
    send: inDialog,
  },
  {
    name: 'New zone',
    operation: 'addZone',
    path: '/acme/products/shop/zones/new',
    edit: async ({ fill }) => await fill('Name', 'shop-demo'),
    send: 'button[form=zone]',
  },
  ...(['template', 'repo'] as const).map((from) => ({
    name: `New Product from a ${from}`,
    operation: 'createProduct',
    path: `/acme/products/new?from=${from}`,
    edit: async ({ fill }: Hand) => {
      await fill('Name', 'kiosk');
      if (from === 'repo') await fill('Repo', 'acme/kiosk');
    },
    send: 'main form button[type=submit]',
  })),
  {
    name: 'New Product from an archive',
    operation: 'createProduct',
    path: '/acme/products/new?from=archive',
    edit: async ({ fill }, page) => {
      await chooseFile(page, 'site.zip', buildZip([{ name: 'index.html', content: '<h1>Hi</h1>' }]));
      await page.waitForSelector('[role=status] ::-p-text(become the first commit)');
      await fill('Name', 'kiosk');
    },
    send: 'main form button[type=submit]',
  },
  {
    name: 'New issue',
    operation: 'createIssue',
    path: '/acme/products/shop/board?new=true',
    edit: async ({ fill }) => await fill('Title', 'Sell kayaks'),
    send: inDialog,
  },
  {
    name: 'New Release',
    operation: 'startRelease',
    path: '/acme/releases?product=shop&start=true',
    edit: async ({ fill }) => await fill('Version, optional', 'v9.0.0'),
    send: '[role=dialog] footer button',
  },
  ...(['issue', 'task'] as const).map((kind) => ({
    name: `Change on the kind ${kind}`,
    operation: 'startRun',
    path: '/acme/changes',
    edit: async ({ press, fill }: Hand, page: Page) => {
      await press('Start a Change…');
      await choose(page, 'On', kind);
      await (kind === 'issue' ? fill('Number', '7') : fill('Task', 'Sell kayaks.'));
    },
    send: inDialog,
  })),
  {
    name: 'New incident',
    operation: 'openIncident',
    path: '/acme/incidents?report=true',
    edit: async ({ fill }) => await fill('What is wrong', 'Payments take a minute'),
    send: inDialog,
  },
  {
    name: 'Run now',
    operation: 'startRun',
    path: '/acme/settings/workflows/nightly',
    edit: async ({ press }) => await press('Run now…'),
    send: submit('Run now'),
  },
  {
    name: 'Freeze',
    operation: 'freezeZone',
    path: '/acme/products/shop/zones/shop-prod',
    edit: async ({ press, fill }) => {
      await press('Freeze…');
      await fill('Reason', 'The fair');
    },
    send: inDialog,
  },
];
