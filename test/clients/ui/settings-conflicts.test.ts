import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { findModelProvider, saveModelProvider } from '../../../api/agents/model-provider.ts';
import { toProviderFields } from '../../../src/rules/agents/model-provider-secret.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { backupSettingsRef } from '../../../src/rules/backups/kinds.ts';
import { readBackupSettings, toSettingsData } from '../../../src/rules/backups/settings.ts';
import { CloudAccountKind } from '../../../src/rules/cloud-accounts/kinds.ts';
import { ClusterKind } from '../../../src/rules/clusters/kinds.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { type Kind, type StoredObject, systemNamespace } from '../../../src/rules/resource.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { readPage } from '../../support/servers/open-chromium.ts';
import { awsSpec } from '../../support/servers/test-cloud.ts';
import { creationForms } from './creation-forms.ts';
import { openForms } from './open-forms.ts';
import { overtakenForms } from './overtaken-forms.ts';
import { read, signIn } from './open-ui.ts';
import { operate } from './settings-fixture.ts';
import { settingsForms, type SettingsForm, submit } from './settings-forms.ts';
import { credentials } from './ui-fixture.ts';

type Stored = StoredObject & { spec: object };

const findForm = (name: string): SettingsForm => {
  const form = [...settingsForms, ...creationForms].find((one) => one.name === name);
  if (!form) throw new Error(`No form is called ${name}.`);
  return form;
};
/** Presses a button if it can be pressed. */
const press = async (page: Page, button: string): Promise<unknown> =>
  await read(page, `document.querySelector('${button}:not([aria-disabled])')?.click()`);
const conflict = /Another person (saved|changed) (this|these settings) while you were editing/;

/** Sends the form, and returns how the page compares it with what another person has saved. */
async function readConflict(page: Page, send: string): Promise<string> {
  const readText = async (): Promise<string> => {
    await press(page, send);
    return await readPage(page);
  };
  await expect.poll(readText).toMatch(conflict);
  return String(await read(page, "document.querySelector('section[role=alert]').innerText"));
}

async function keepMine(page: Page): Promise<void> {
  await operate(page).press('Keep mine');
  await expect.poll(async () => await readPage(page)).not.toMatch(conflict);
}

/** Records for each write which changes of a values file the page shows. */
const recordWrites = `{
  const { fetch } = window;
  window.writes = [];
  window.fetch = (url, init = {}) => {
    const isValuesFile = ({ caption }) => caption?.textContent.endsWith('/values.yaml');
    if (/^(PUT|POST)$/.test(init.method) && !String(url).includes('dryRun'))
      window.writes.push([...document.querySelectorAll('main table')].find(isValuesFile)?.innerText);
    return fetch(url, init);
  };
}`;

/** Holds back the response to the first write, and records the body of each. */
const holdFirstWrite = `{
  const { fetch } = window;
  window.bodies = [];
  window.fetch = async (url, init = {}) => {
    if (init.method !== 'PUT' || String(url).includes('dryRun')) return await fetch(url, init);
    window.bodies.push(init.body);
    const isFirst = window.bodies.length === 1;
    const response = await fetch(url, init);
    if (isFirst) await new Promise((resolve) => (window.release = resolve));
    return response;
  };
}`;

/** Says of each change that it succeeded, and holds back the first of these responses. */
const holdChange = `{
  const { fetch } = window;
  window.fetch = async (url, init = {}) => {
    if (!/^(POST|PUT)$/.test(init.method)) return await fetch(url, init);
    if (!window.release) await new Promise((resolve) => (window.release = resolve));
    const spec = { label: 'made' };
    const body = JSON.stringify({ name: 'made', label: 'made', token: 'made', state: 'licensed', actions: [], spec });
    return new Response(body, { status: 201, headers: { 'Content-Type': 'application/json' } });
  };
}`;

describeWithChromium('settings', () => {
  it('that another person has saved meanwhile stand next to what was typed, of which nothing is lost', async () => {
    const { store, openForm } = await openForms();
    for (const {
      form,
      kind: untyped,
      namespace = 'org-acme',
      name,
      overtake,
      shown,
      saved,
      ...own
    } of overtakenForms) {
      const kind = untyped as Kind<Stored>;
      const ref = { namespace, name };
      const { path, edit, send } = { ...findForm(form), ...own };
      const page = await openForm(path);
      await edit(operate(page), page);
      const item = await store.get(kind, ref);
      await store.replace(kind, { ...item, spec: { ...item.spec, ...overtake(item.spec as never) } });
      const text = await readConflict(page, send);
      for (const part of shown) expect(text, form).toContain(part);
      await keepMine(page);
      const readSaved = async (): Promise<object> => {
        await press(page, send);
        return (await store.get(kind, ref)).spec;
      };
      await expect.poll(readSaved, { message: form }).toMatchObject(saved);
      await page.close();
    }
  });

  it('with a secret show that one was typed, and keep it', async () => {
    const { store, openForm, provider } = await openForms();
    const { path, send } = findForm('Provider');
    const page = await openForm(path);
    await operate(page).fill('Model', 'mine');
    await operate(page).fill('API key', 'a typed key');
    const before = await findModelProvider(store, 'acme');
    await saveModelProvider(store, { org: 'acme', provider: { ...provider, model: 'theirs' }, before });
    const text = await readConflict(page, send);
    for (const part of ['model: theirs', 'model: mine', 'typed, not shown']) expect(text).toContain(part);
    expect(text).not.toContain('a typed key');
    await keepMine(page);
    expect(await read(page, "document.querySelector('input[type=password]').value")).toBe('a typed key');
    await press(page, send);
    await expect
      .poll(async () => toProviderFields((await findModelProvider(store, 'acme')) ?? {}))
      .toMatchObject({ model: 'mine', apiKey: 'a typed key' });
  });

  it('of backups stand next to what was typed, also when none were saved before', async () => {
    const { store, openForm } = await openForms();
    const { path, send } = findForm('Schedule of backups');
    const page = await openForm(path);
    await operate(page).fill('Backups to keep', '7', 'spinbutton');
    const theirs = { data: toSettingsData({ keepLast: 5 }, { stored: undefined, now: new Date() }) };
    await store.create(ConfigMapKind, { metadata: backupSettingsRef, ...theirs });
    const text = await readConflict(page, send);
    for (const part of ['keepLast: 5', 'keepLast: 7']) expect(text).toContain(part);
    await keepMine(page);
    const readSaved = async () => {
      await press(page, send);
      return readBackupSettings(await store.get(ConfigMapKind, backupSettingsRef));
    };
    await expect.poll(readSaved).toEqual({ keepLast: 7 });
  });

  it('keep what is typed while they are being saved', async () => {
    const { openForm } = await openForms();
    const edits: [form: string, first: string, ...field: [name: string, text: string, role?: string]][] = [
      ['Schedule of backups', '"cron":"0 3 * * *"', 'Backups to keep', '7', 'spinbutton'],
      ['Limits of agents', '5', 'Runs for one issue or pull request, per hour', '17', 'spinbutton'],
      ['Provider', 'large', 'URL', 'https://models.example.com/later'],
      ['AgentRole', 'small', 'Instructions', 'Typed while it was saved.'],
      ['Zone', '"replicas":4', 'CPU per pod', '250m'],
      ['Product', 'Ferries', 'Description', 'Typed while it was saved.'],
    ];
    for (const [form, first, name, text, role] of edits) {
      const { path, edit, send } = findForm(form);
      const page = await openForm(path, holdFirstWrite);
      await edit(operate(page), page);
      await expect
        .poll(async () => {
          await press(page, send);
          return await read(page, "typeof window.release === 'function'");
        })
        .toBe(true);
      await operate(page).fill(name, text, role);
      await read(page, 'window.release()');
      const readLater = async (): Promise<unknown> => {
        await press(page, send);
        return await read(page, 'window.bodies.slice(1)');
      };
      await expect.poll(readLater, { message: form }).not.toEqual([]);
      const [later] = (await readLater()) as string[];
      for (const typed of [first, text]) expect(later, form).toContain(typed);
      await page.close();
    }
  });

  it('keep what is typed while a form that empties itself is being sent', async () => {
    const { openForm } = await openForms();
    const edits: [form: string, field: string][] = [
      ['New person', 'E-mail address'],
      ['New password of your own', 'New password'],
      ['New identity provider', 'Name'],
      ['New restore', 'Recovery key'],
      ['New token', 'Label'],
      ['New cluster', 'Name'],
      ['New registry', 'Name'],
      ['New account of AWS', 'Name'],
      ['License', 'Licence'],
    ];
    const text = 'later@example.com';
    const kept: unknown[] = [];
    for (const [form, name] of edits) {
      const { path, edit, send } = findForm(form);
      const page = await openForm(path, holdChange);
      await edit(operate(page), page);
      await press(page, send);
      await page.waitForFunction("typeof window.release === 'function'");
      await operate(page).fill(name, text);
      await read(page, 'window.release()');
      await page.waitForSelector(`${send}:not([aria-busy])`);
      const values = await read(page, `[...document.querySelector('${send}').form.elements].map(({ value }) => value)`);
      if ((values as string[]).includes(text)) kept.push(form);
      await page.close();
    }
    expect(kept).toEqual(edits.map(([form]) => form));
  });

  it('of a row stay as they are typed while another row is edited', async () => {
    const { store, request, openForm } = await openForms();
    const registry = { host: 'ghcr.io', username: 'ada', password: 'x' };
    const lastCheck = { access: 'pull' as const, at: new Date().toISOString() };
    const secret = { namespace: 'org-acme', name: registriesSecretName };
    const registries = ['images', 'mirror'].map((name) => ({ name, ...registry, lastCheck }));
    await store.replace(SecretKind, { ...(await store.get(SecretKind, secret)), data: toRegistriesData(registries) });
    await store.create(CloudAccountKind, { metadata: { namespace: 'org-acme', name: 'staging' }, spec: awsSpec });
    await store.create(ClusterKind, { metadata: { namespace: systemNamespace, name: 'us-east' }, spec: {} });
    const spec = { label: 'Second SSO', issuer: 'https://second.example.com', clientId: 'delivery-platform' };
    await store.create(IdentityProviderKind, { metadata: { namespace: systemNamespace, name: 'second' }, spec });
    const body = { email: 'aino@example.com', password: credentials.password };
    await request('/v1/access/users', { method: 'POST', via: 'session', body });
    const rows: [path: string, first: string, second: string, ...forms: [first: string, second: string]][] = [
      ['/acme/settings/registries', 'Edit images', 'Edit mirror', 'Edit images', 'Edit mirror'],
      ['/acme/settings/cloud-accounts', 'Edit production', 'Edit staging', 'Edit production', 'Edit staging'],
      ['/settings/users', 'Edit second', 'Edit sso', 'Edit second', 'Edit sso'],
      [
        '/settings/users',
        'Reset password of aino@example.com',
        'Reset password of root@example.com',
        'New password of aino@example.com',
        'New password of root@example.com',
      ],
      ['/settings/clusters', 'Open eu-west', 'Open us-east', 'Edit eu-west', 'Edit us-east'],
    ];
    const kept: unknown[] = [];
    for (const [path, first, second, ...forms] of rows) {
      const page = await openForm(path);
      const [field, other] = forms.map((label) => `form[aria-label="${label}"] input`) as [string, string];
      await operate(page).press(first);
      await page.locator(field).fill('typed before');
      await operate(page).press(second);
      await page.waitForSelector(other);
      kept.push(await read(page, `document.querySelector('${field}')?.value`));
      await page.close();
    }
    expect(kept).toEqual(rows.map(() => 'typed before'));
  });

  it('typed in a row wait for its form when the session ends', async () => {
    const { openForm } = await openForms();
    const page = await openForm('/acme/settings/cloud-accounts');
    const readRegion = async (form: string): Promise<unknown> =>
      await read(page, `document.querySelectorAll('form[aria-label="${form}"] input[required]')[1]?.value`);
    await operate(page).press('Edit production');
    await operate(page).fill('Region', 'eu-north-1');
    await expect.poll(async () => await readRegion('Edit production')).toBe('eu-north-1');
    await read(page, "fetch('/api/v1/auth/sign-out', { method: 'POST' }).then(() => undefined)");
    await press(page, submit('Edit production'));
    await page.waitForSelector('h1:focus ::-p-text(Sign in)');
    await page.focus('input[name=email]');
    await signIn(page);
    await page.waitForSelector('form[aria-label="Add a cloud account"]');
    await operate(page).press('Edit production');
    await expect.poll(async () => await readRegion('Edit production')).toBe('eu-north-1');
    expect(
      await read(
        page,
        `[...document.querySelector('form[aria-label="Add a cloud account"]').elements].map((one) => one.value)`,
      ),
    ).not.toContain('eu-north-1');
  });

  it('of a row can be opened again as another person has saved them', async () => {
    const { store, openForm } = await openForms();
    const { path, send, edit } = findForm('Account of AWS');
    const page = await openForm(path);
    const ref = { namespace: 'org-acme', name: 'production' };
    await edit(operate(page), page);
    const account = await store.get(CloudAccountKind, ref);
    await store.replace(CloudAccountKind, { ...account, spec: { ...account.spec, region: 'eu-north-1' } });
    await press(page, send);
    await page.waitForSelector('form[aria-label="Edit production"] [role=alert]');
    await operate(page).press('Cancel');
    await operate(page).says('In eu-north-1');
    await edit(operate(page), page);
    await press(page, send);
    await operate(page).says('In eu-west-1');
    expect((await store.get(CloudAccountKind, ref)).spec.region).toBe('eu-west-1');
  });

  it('are written only after the changes of their values file were shown', async () => {
    const { openForm } = await openForms();
    const edits = [
      ['/acme/products/shop/zones/shop-prod/settings', 'Replicas', '4', 'replicas: 4'],
      ['/acme/products/shop/settings', 'Title', 'Ferries', 'access: "none"'],
      ['/acme/products/shop/zones/new', 'Name', 'shop-demo', 'access: "public"'],
    ] as const;
    for (const [path, field, text, change] of edits) {
      const page = await openForm(path, recordWrites);
      const access = await page.$('::-p-aria([name="Who can open it in shop-prod"])');
      await access?.select('none');
      await operate(page).fill(field, text);
      const send = async (): Promise<unknown> => {
        // The preview of a Product takes the focus, and the button that saves is next.
        const isPreview = await read(page, `document.activeElement.getAttribute('aria-labelledby') === 'preview'`);
        if (isPreview === true) await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        return await read(page, 'window.writes');
      };
      await expect.poll(send, { interval: 20, message: path }).toEqual([expect.stringContaining(change)]);
      await page.close();
    }
  });

  it('that are not saved are left only after a question', async () => {
    const { openForm } = await openForms();
    const edits = [
      ['/acme/settings/models', 'Model'],
      ['/acme/products/shop/settings', 'Title'],
      ['/acme/products/shop/zones/shop-prod/settings', 'Replicas'],
      ['/acme/settings/roles/architect', 'Instructions'],
    ] as const;
    for (const [path, field] of edits) {
      const page = await openForm(path);
      const { fill, says, press: pressButton } = operate(page);
      await fill(field, '7');
      await page.locator('nav[aria-label=Main] a[href="/acme/changes"]').click();
      await says('Leave without saving?');
      await pressButton('Stay');
      expect(new URL(page.url()).pathname).toBe(path);
      const values = "[...document.querySelectorAll('main input, main textarea')].map(({ value }) => value)";
      expect(await read(page, values), path).toContain('7');
      await page.close();
    }
  });
});
