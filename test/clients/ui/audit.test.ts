import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { makePlatformAdmin, operate } from './settings-fixture.ts';
import { choose } from './settings-forms.ts';

const create = (path: string, body: object): string => `fetch('/api/v1${path}', {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))},
}).then(({ status }) => status)`;
const role = (name: string) => ({ name, spec: { responsibilities: ['Write it.'] } });
const rows = "[...document.querySelectorAll('main tbody th[scope=row]')].map(({ textContent }) => textContent)";

describeWithChromium('the audit log in a browser', () => {
  it('shows who changed what, filters by the URL, and opens an entry below its row', async () => {
    const { page, faults, open } = await openUi({ role: 'org-admin' });
    const { press, says, fill } = operate(page);
    await open('/signin');
    await signIn(page);
    expect(await read(page, create('/orgs/acme/agentroles', role('writer')))).toBe(201);
    expect(await read(page, create('/orgs/acme/agentroles', role('reader')))).toBe(201);
    await open('/acme/settings/audit');
    await says('AgentRole reader');
    expect(await read(page, rows)).toEqual(['createAgentRole', 'createAgentRole']);

    await fill('Resource', 'writer');
    await press('Filter');
    await page.waitForFunction("location.search === '?name=writer'");
    await page.waitForFunction("document.querySelectorAll('main tbody tr').length === 1");
    await page.locator('main td button').click();
    await says('spec.responsibilities[Write it.]');
    await says('Created AgentRole writer');
    expect(await read(page, 'location.search')).toContain('entry=');

    await page.reload();
    await says('Created AgentRole writer');
    await open('/acme/settings/audit');
    await fill('Resource', 'reader');
    await choose(page, 'Result', 'refused');
    await says('No change matches');
    expect(await read(page, 'location.search')).toMatch(/name=reader&result=refused|result=refused&name=reader/);
    expect(faults).toEqual([]);
  });

  it('saves what the filters show as JSON lines', async () => {
    const { page, faults, open } = await openUi({ role: 'org-admin' });
    await open('/signin');
    await signIn(page);
    for (const name of ['writer', 'reader']) await read(page, create('/orgs/acme/agentroles', role(name)));
    await open('/acme/settings/audit?name=reader');
    await operate(page).says('AgentRole reader');
    await page.evaluate(`globalThis.saved = new Promise((resolve) => {
      const create = URL.createObjectURL;
      URL.createObjectURL = (file) => (resolve(file.text()), create(file));
    }); undefined`);
    await operate(page).press('Export as JSON lines');
    const lines = String(await read(page, 'saved'))
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { operation: string }).operation)).toEqual(['createAgentRole']);
    expect(faults).toEqual([]);
  });

  it('shows a platform admin the changes of no org', async () => {
    const { page, faults, open, store } = await openUi();
    await makePlatformAdmin(store);
    await open('/settings/audit');
    await signIn(page);
    await operate(page).says('signIn');
    expect(faults).toEqual([]);
  });

  it('leaves the focus in the filters, which follow the URL', async () => {
    const { page, faults, open } = await openUi({ role: 'org-admin' });
    const { fill, says } = operate(page);
    await page.setViewport({ width: 1440, height: 900 });
    await open('/acme/settings/audit');
    await signIn(page);
    await says('No change yet');
    await fill('Resource', 'writer');
    await page.keyboard.press('Enter');
    await page.waitForFunction("location.search === '?name=writer'");
    await says('No change matches');
    expect(await read(page, 'document.activeElement.value')).toBe('writer');
    await page.goBack();
    await says('No change yet');
    await page.waitForFunction("document.querySelector('input[placeholder=hello]').value === ''");
    expect(faults).toEqual([]);
  });
});
