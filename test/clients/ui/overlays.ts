import type { Page } from 'puppeteer-core';
import { incidents } from './seed-incidents.ts';

type Act = (page: Page) => Promise<unknown>;
/** A layer over the page, by the file that shows it: where it is, how it opens, and what is there then. */
export type Overlay = { file: string; path: string; open: Act; shown: string };

const dialog = ':is([role=dialog], [role=alertdialog]):not([data-closed])';
const zone = '/acme/products/shop/zones/shop-prod';
const change = '/acme/changes/change-shop-418';

const nothing: Act = async () => {};
const press =
  (name: string): Act =>
  async (page) =>
    await page.locator(`main button ::-p-text(${name})`).click();
const key =
  (...keys: Parameters<Page['keyboard']['press']>[0][]): Act =>
  async ({ keyboard }) => {
    for (const one of keys) await keyboard.down(one);
    for (const one of keys) await keyboard.up(one);
  };

/** The dialog of the person's menu appears only when the sign-out does not reach the server. */
const failSignOut = `(() => {
  const send = window.fetch;
  window.fetch = async (url, init) => {
    if (String(url).endsWith('/sign-out')) throw new TypeError('Nothing is sent.');
    return await send(url, init);
  };
})()`;

const table: [file: string, path: string, open: Act, shown?: string][] = [
  ['parts/start-change.tsx', '/acme/changes', press('Start a Change…')],
  ['parts/freeze.tsx', zone, press('Freeze…')],
  ['shell/palette.tsx', '/help', key('Control', 'k')],
  ['shell/shortcut-sheet.tsx', '/help', key('?')],
  [
    'pages/board/issue-dialog.tsx',
    '/acme/products/shop/board',
    async (page) => await page.locator('main a ::-p-text(Issue 1)').click(),
  ],
  ['pages/board/new-issue.tsx', '/acme/products/shop/board?new=true', nothing],
  ['pages/change/cancel.tsx', change, press('Cancel Change')],
  ['pages/change/reject.tsx', change, press('Reject…')],
  ['pages/domain/remove-domain.tsx', '/acme/domains/tidewater.test', press('Remove…')],
  ['pages/domains/add-domain.tsx', '/acme/domains', press('Add domain')],
  ['pages/incident/resolve.tsx', `/acme/incidents/${incidents.burning}`, press('Resolve…')],
  ['pages/incidents/open-incident.tsx', '/acme/incidents?report=true', nothing],
  ['pages/product-settings/delete-product.tsx', '/acme/products/shop/settings?delete=true', nothing],
  ['pages/product/logo-picker.tsx', '/acme/products/shop?logo=true', nothing],
  ['pages/product/promote-dialog.tsx', '/acme/products/shop?promote=shop-prod', nothing],
  ['pages/release/cancel-release.tsx', '/acme/releases/shop-v1.1.0', press('Cancel the Release')],
  ['pages/releases/start-release.tsx', '/acme/releases?product=shop&start=true', nothing],
  ['pages/settings/delete-resource.tsx', '/acme/settings/workflows/nightly', press('Delete nightly…')],
  ['pages/settings/license/remove-license.tsx', '/settings/licence', press('Remove…')],
  ['pages/settings/backups/recovery-key.tsx', '/settings/backups', press('Replace the recovery key…')],
  ['pages/settings/workflows/run-now.tsx', '/acme/settings/workflows/nightly', press('Run now…')],
  ['pages/zone-settings/remove-zone.tsx', `${zone}/settings`, press('Remove shop-prod…')],
  [
    'shell/person-menu.tsx',
    '/help',
    async (page) => {
      await page.evaluate(failSignOut);
      await page.locator('aside > div button[aria-haspopup=menu]').click();
      await page.locator('[role=menuitem] ::-p-text(Sign out)').click();
    },
  ],
  // Not a layer, but a state of every page that a person brings about in the same way.
  ['shell/live-dot.tsx', change, key('.'), 'body.pause'],
  // No page opens after this one: the browser asks what to do with the edit.
  [
    'parts/unsaved.tsx',
    '/acme/settings/scheduling',
    async (page) => {
      await page.locator('main input[type=checkbox]').click();
      await page.locator('nav[aria-label=Main] a ::-p-text(Changes)').click();
    },
  ],
];

/** Files whose dialog is the same component as those above, with other words. */
export const sameOverlays = [
  'pages/board/confirm-cancel.tsx',
  'pages/change/retry.tsx',
  'pages/settings/delete-row.tsx',
  'pages/settings/models/provider-form.tsx',
  'pages/settings/install/provider-table.tsx',
  'pages/settings/install/user-actions.tsx',
  'pages/settings/tokens/tokens-page.tsx',
];

export const overlays: Overlay[] = table.map(([file, path, open, shown = dialog]) => ({ file, path, open, shown }));
