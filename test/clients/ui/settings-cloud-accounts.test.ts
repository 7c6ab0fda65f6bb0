import type { HTTPRequest, Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import type { TrustPolicy } from '../../../src/emulators/cloud/cloud-state.ts';
import { CloudAccountKind } from '../../../src/rules/cloud-accounts/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import {
  awsAccountId,
  awsSpec,
  buildTrustPolicy,
  googleSpec,
  roleArn,
  startTestCloud,
} from '../../support/servers/test-cloud.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { openUi, read, settle, signIn } from './open-ui.ts';
import { makeOrgAdmin, operate } from './settings-fixture.ts';
import { choose } from './settings-forms.ts';

/** The value that a page offers to copy under a term. */
const readTerm = async (page: Page, term: string): Promise<string> =>
  String(
    await read(
      page,
      `[...document.querySelectorAll('dt')].find((one) => one.innerText === ${JSON.stringify(term)}).nextElementSibling.innerText.trim()`,
    ),
  );

async function openCloudAccounts() {
  const cloud = await startTestCloud({ issuer: 'https://other.example.com' });
  const judged = createTestDispatcher('127.0.0.1');
  const ui = await openUi({ judged, cloudEndpoints: cloud.endpoints, expected: [/422/] });
  await ui.page.setViewport({ width: 1440, height: 1000 });
  await makeOrgAdmin(ui.store);
  await ui.open('/acme/settings/cloud-accounts');
  await signIn(ui.page);
  return { ...ui, cloud, ...operate(ui.page) };
}

describeWithChromium('the cloud accounts of an org in a browser', () => {
  it('an org admin enters at AWS what the page says, adds the role, and sees who the service is there', async () => {
    const { page, faults, store, cloud, says, fill, press, focusSays } = await openCloudAccounts();
    await says('No cloud account yet');
    // The installation of this test is on one machine, which a real cloud cannot reach.
    await says('localhost is not a public host');
    await fill('Name', 'production');
    await fill('Role ARN', 'delivery');
    await fill('Region', awsSpec.region);
    await press('Add and check');
    await focusSays('must be the ARN of a role');
    await fill('Role ARN', roleArn);
    await press('Add and check');
    await says('No OpenIDConnect provider found in your account');
    await says('Create an identity provider (OpenID Connect) in IAM');

    const [account] = cloud.state.aws;
    if (!account) throw new Error('There is no account.');
    account.oidcProviders.push({
      url: await readTerm(page, 'Provider URL'),
      clientIds: [await readTerm(page, 'Audience')],
    });
    await press('Check production');
    await says('Not authorized to perform sts:AssumeRoleWithWebIdentity');
    await says('the subject org:acme');
    expect(await readTerm(page, 'Subject')).toBe('org:acme');

    await press('Edit production');
    const text = String(await read(page, "document.querySelector('section[aria-labelledby=trust] pre').innerText"));
    expect(text).toContain(`arn:aws:iam::${awsAccountId}:oidc-provider/localhost`);
    const policy = JSON.parse(text) as TrustPolicy;
    expect(policy).toMatchObject(buildTrustPolicy(await readTerm(page, 'Provider URL'), 'org:acme'));
    account.roles[roleArn] = policy;
    await press('Cancel');
    await press('Check production');
    const identity = `arn:aws:sts::${awsAccountId}:assumed-role/delivery/delivery-check-acme`;
    await says(`Works as ${identity}`);

    await press('Edit production');
    await fill('Region', 'eu-west-1');
    await press('Save');
    await says('Changed since then: check it again.');
    await press('Delete production');
    await press('Delete');
    await says('No cloud account yet');
    expect((await store.list(CloudAccountKind)).items).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('an org admin lets Google Cloud trust the org, and adds the service account', async () => {
    const { page, faults, cloud, says, fill, press } = await openCloudAccounts();
    await says('No cloud account yet');
    await choose(page, 'Cloud', 'google');
    await fill('Name', 'production');
    await fill('Workload identity provider', googleSpec.workloadIdentityProvider);
    await fill('Service account', googleSpec.serviceAccount);
    const name = googleSpec.workloadIdentityProvider;
    cloud.state.google = {
      providers: [
        { name, issuer: await readTerm(page, 'Issuer'), allowedAudiences: [await readTerm(page, 'Audience')] },
      ],
      serviceAccounts: { [googleSpec.serviceAccount]: [await readTerm(page, 'Principal')] },
      clusters: {},
    };
    await press('Add and check');
    await says(`Works as ${googleSpec.serviceAccount}`);
    expect(faults).toEqual([]);
  });

  it('keeps the form of another account open when the one before is saved', async () => {
    const { page, faults, store, says, press } = await openCloudAccounts();
    for (const name of ['production', 'staging'])
      await store.create(CloudAccountKind, { metadata: { namespace: 'org-acme', name }, spec: awsSpec });
    await page.reload();
    await page.setRequestInterception(true);
    const held: HTTPRequest[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') held.push(request);
      else void request.continue();
    });
    await press('Edit production');
    await page.locator('form[aria-label="Edit production"] button[type=submit]').click();
    await page.waitForSelector('form[aria-label="Edit production"] [aria-busy=true]');
    await press('Edit staging');
    await page.waitForSelector('form[aria-label="Edit staging"] input:focus');
    await page.locator('form[aria-label="Edit staging"] input').fill('typed meanwhile');
    await Promise.all(held.map(async (request) => await request.continue()));
    await says('is saved');
    await settle(page);
    expect(await read(page, `document.querySelector('form[aria-label="Edit staging"] input')?.value`)).toBe(
      'typed meanwhile',
    );
    expect(faults).toEqual([]);
  });
});
