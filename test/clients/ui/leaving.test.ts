import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { creationForms, inDialog } from './creation-forms.ts';
import { openForms } from './open-forms.ts';
import { read, settle } from './open-ui.ts';
import { operate } from './settings-fixture.ts';
import { chooseFile, type SettingsForm } from './settings-forms.ts';

type Sent = Omit<SettingsForm, 'operation'> & {
  /** Whether another page opens after the dialog is closed, because the response leads to the page below it. */
  isLeft?: true;
};

const inFoot = '[role=dialog] footer button';

/** The creations that lead to the page of what they create. */
const creations = [
  'New org',
  'New AgentRole',
  'New AgentWorkflow',
  'New domain',
  'New zone',
  'New Product from a template',
  'New Release',
  'Change on the kind issue',
  'New incident',
  'Run now',
];

/** The removals, which lead away from the page of what they remove. */
const removals: Sent[] = [
  {
    name: 'Removal of a domain',
    path: '/acme/domains/northisles.test',
    edit: async ({ press }) => await press('Remove…'),
    send: inDialog,
  },
  {
    name: 'Removal of a zone',
    path: '/acme/products/shop/zones/shop-prod/settings',
    edit: async ({ press, fill }) => {
      await press('Remove shop-prod…');
      await fill('Type shop-prod to confirm', 'shop-prod');
    },
    send: inDialog,
  },
  {
    name: 'Deletion of a Product',
    path: '/acme/products/shop/settings?delete=true',
    edit: async ({ fill }) => await fill('Type shop to confirm', 'shop'),
    send: inFoot,
  },
  {
    name: 'Deletion of an AgentWorkflow',
    path: '/acme/settings/workflows/nightly',
    edit: async ({ press }) => await press('Delete nightly…'),
    send: '[role=alertdialog] footer button:last-of-type',
  },
];

const logo: Sent = {
  name: 'Logo',
  path: '/acme/products/shop?logo=true',
  edit: async (_hand, page) => {
    await chooseFile(page, 'logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  },
  send: inFoot,
  isLeft: true,
};

const forms: Sent[] = [...creationForms.filter(({ name }) => creations.includes(name)), ...removals, logo];

/** Holds back the response to a change, which names what was made. */
const holdChange = `{
  const { fetch } = window;
  window.fetch = async (url, init = {}) => {
    if (!/^(POST|PUT|DELETE)$/.test(init.method) || String(url).includes('dryRun')) return await fetch(url, init);
    await new Promise((resolve) => (window.release = resolve));
    const body = JSON.stringify({ name: 'made', resourceVersion: '1' });
    return new Response(body, { status: 201, headers: { 'Content-Type': 'application/json' } });
  };
}`;

const readPath = async (page: Page): Promise<unknown> => await read(page, 'location.pathname');

async function fillAndSend(page: Page, { edit, send }: Pick<Sent, 'edit' | 'send'>): Promise<void> {
  await edit(operate(page), page);
  const enabled = `${send}:not([aria-disabled])`;
  await page.waitForSelector(enabled);
  await page.$eval(enabled, (button) => (button as unknown as { click: () => void }).click());
  await page.waitForFunction("typeof window.release === 'function'");
}

/** Closes the dialog of a form, or opens another page if it has none. */
async function leave(page: Page, isLeft: boolean): Promise<void> {
  if (await page.$('[role=dialog]')) {
    await page.keyboard.press('Escape');
    await page.waitForSelector('[role=dialog]', { hidden: true });
    if (!isLeft) return;
  }
  await page.evaluate("history.pushState({}, '', '/help')");
  await page.waitForSelector('h1:focus');
}

describeWithChromium('a person who leaves a form while its request is in progress', () => {
  it('is not led away by the response', async () => {
    const { openForm } = await openForms();
    expect(forms).toHaveLength(creations.length + removals.length + 1);
    const led: unknown[] = [];
    for (const { name, path, edit, send, isLeft = false } of forms) {
      const page = await openForm(path, holdChange);
      await fillAndSend(page, { edit, send }).catch((error: unknown) => {
        throw new Error(`The form "${name}" cannot be sent.`, { cause: error });
      });
      await leave(page, isLeft);
      const left = await readPath(page);
      await read(page, 'window.release()');
      await settle(page);
      const shown = await readPath(page);
      if (shown !== left) led.push([name, shown]);
      await page.close();
    }
    expect(led).toEqual([]);
  });
});
