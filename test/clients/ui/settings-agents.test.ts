import type { HTTPRequest } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { AgentRoleKind, AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openForms } from './open-forms.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { makeOrgAdmin, operate, seedSettings } from './settings-fixture.ts';
import { choose } from './settings-forms.ts';
import { seedShop } from './seed-shop.ts';

const ref = { namespace: 'org-acme', name: 'nightly' };

describeWithChromium('the settings of agents in a browser', () => {
  it('turns scheduling on, corrects a schedule where it is wrong, and keeps an edit that another person overtook', async () => {
    const { page, faults, open, store } = await openUi({ expected: [/422|409/] });
    const { press, follow, check, fill, says, focusSays } = operate(page);
    await seedShop(store);
    await seedSettings(store);
    await makeOrgAdmin(store);
    await open('/acme/settings/workflows/nightly');
    await signIn(page);
    await says('scheduling is off in this org');
    await follow('Scheduling of the org');
    await check('Scheduled runs');
    await fill('Time zone', 'Mars/Base', 'combobox');
    await press('Save');
    await focusSays('must be an IANA time zone');
    expect(await read(page, 'document.activeElement.value')).toBe('Mars/Base');
    await fill('Time zone', 'Europe/Berlin', 'combobox');
    await press('Save');
    await says('Saved.');
    const org = await store.get(OrganizationKind, { namespace: 'service-system', name: 'acme' });
    expect(org.spec.scheduling).toEqual({ enabled: true, timeZone: 'Europe/Berlin' });

    await follow('nightly');
    await says('The schedule is due next at');
    await fill('Schedule', '61 7 * * 1');
    await press('Save');
    await focusSays('must not be "61"');
    await fill('Schedule', '30 7 * * 1');
    await says(', 07:30');
    const before = await store.get(AgentWorkflowKind, ref);
    await store.replace(AgentWorkflowKind, { ...before, spec: { ...before.spec, description: 'By another person' } });
    await press('Save');
    await says('Another person saved this while you were editing');
    await says('By another person');
    expect((await store.get(AgentWorkflowKind, ref)).spec.triggers).toEqual(before.spec.triggers);
    await press('Keep mine');
    await press('Save');
    await says('Saved.');
    expect((await store.get(AgentWorkflowKind, ref)).spec.triggers).toEqual([{ type: 'cron', schedule: '30 7 * * 1' }]);
    expect(faults).toEqual([]);
  });

  it('edits one document as a form and as YAML, and asks before it is lost', async () => {
    const { page, faults, open, store } = await openUi({ expected: [/422|503/] });
    const { press, follow, fill, says } = operate(page);
    await seedSettings(store);
    await makeOrgAdmin(store);
    await open('/acme/settings/roles');
    await signIn(page);
    await fill('Name', 'translator');
    await fill('Instructions', 'Translate the texts of the UI.');
    await press('Add AgentRole');
    await page.waitForFunction("document.querySelector('h1')?.innerText === 'translator'");
    await fill('Model', 'small', 'combobox');
    await press('YAML');
    await says('Definition');
    expect(await read(page, 'location.search')).toBe('?view=yaml');
    await page.waitForFunction("document.querySelector('textarea')?.value.includes('model: small')");
    const typed = 'responsibilities:\n  - Translate.\nnetwork: true\nlimits: [';
    await fill('translator as YAML', typed);
    await says('The YAML cannot be read');
    await press('Form');
    await says('cannot be shown as a form');
    await press('YAML');
    expect(await read(page, "document.querySelector('textarea').value")).toBe(typed);
    await fill('translator as YAML', typed.replace('limits: [', ''));
    await press('Save');
    await says('is not allowed by the org');
    await says('Line 3');
    await follow('AgentWorkflows');
    await says('Leave without saving?');
    await press('Stay');
    // An alias without an anchor is typed on the way to a quoted text.
    await fill('translator as YAML', 'responsibilities:\n  - ');
    await page.keyboard.type('*.md');
    await says('Quote it to mean the text.');
    await says('Line 2');
    expect(await read(page, "document.querySelector('textarea').value")).toBe('responsibilities:\n  - *.md');
    await fill('translator as YAML', typed.slice(0, typed.indexOf('network')));
    await press('Save');
    await says('Saved.');
    expect((await store.get(AgentRoleKind, { ...ref, name: 'translator' })).spec).toEqual({
      responsibilities: ['Translate.'],
    });
    await follow('AgentWorkflows');
    await page.waitForFunction("document.querySelector('h1')?.innerText === 'AgentWorkflows'");
    expect(faults).toEqual([]);
  });

  it('leads away from what is deleted, whatever was typed about it', async () => {
    // The page still reads why the schedule of what is deleted starts nothing.
    const { page, faults, open, store } = await openUi({ expected: [/404/] });
    const { press, fill } = operate(page);
    await seedSettings(store);
    await makeOrgAdmin(store);
    await open('/acme/settings/workflows/nightly');
    await signIn(page);
    await fill('Description', 'Typed before the deletion.');
    await press('Delete nightly…');
    await press('Delete nightly');
    await page.waitForSelector('h1 ::-p-text(AgentWorkflows)');
    expect(await read(page, 'location.pathname')).toBe('/acme/settings/workflows');
    expect(faults).toEqual([]);
  });

  it('starts a run of the first Product also when the Products are not known yet', async () => {
    const { page, open, store } = await openUi({ role: 'org-admin' });
    await seedShop(store);
    await seedSettings(store);
    await open('/signin');
    await signIn(page);
    const held: HTTPRequest[] = [];
    const sent: string[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.postData() ?? '');
      if (/\/orgs\/acme\/products(\?|$)/.test(request.url())) held.push(request);
      else void request.continue();
    });
    await open('/acme/settings/workflows/nightly');
    const { press } = operate(page);
    await press('Run now…');
    await press('Start the run');
    await expect.poll(() => held.length).toBe(1);
    await held[0]?.continue();
    await expect
      .poll(() => sent.map((body) => JSON.parse(body) as object))
      .toEqual([{ agentWorkflow: 'nightly', product: 'shop' }]);
  });

  it('keeps the words for a run that was not started', async () => {
    const { openForm } = await openForms();
    const page = await openForm('/acme/settings/workflows/nightly');
    const { press, fill } = operate(page);
    await press('Run now…');
    await fill('Instructions', 'Look at the timetable.');
    await page.keyboard.press('Escape');
    await page.waitForFunction("!document.querySelector('[role=dialog]')");
    await page.locator('nav[aria-label=Main] a[href="/acme/changes"]').click();
    await press('Start a Change…');
    await choose(page, 'On', 'task');
    await fill('Task', 'Sort the quays.');
    await press('Cancel');
    await page.goBack();
    await press('Run now…');
    expect(await read(page, "document.querySelector('[role=dialog] textarea').value")).toBe('Look at the timetable.');
    await press('Cancel');
    await page.goForward();
    await press('Start a Change…');
    await choose(page, 'On', 'task');
    expect(await read(page, "document.querySelector('[role=dialog] textarea').value")).toBe('Sort the quays.');
  });
});
