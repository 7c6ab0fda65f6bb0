import type { Page } from 'puppeteer-core';
import type { operate } from './settings-fixture.ts';

type Hand = ReturnType<typeof operate>;
type Act = (hand: Hand, page: Page) => Promise<unknown>;

/** A control that changes what a page shows, with the search parameter of the route that names the change. */
export type ViewControl = { route: string; name: string; path: string; act: Act };

const click =
  (selector: string): Act =>
  async (_hand, page) =>
    await page.locator(selector).click();
const choose =
  (name: string, value: string): Act =>
  async ({ fill }) =>
    await fill(name, value, 'combobox');
const search =
  (selector: string, text: string): Act =>
  async (_hand, page) =>
    await page.type(selector, text);

const zone = '/acme/products/shop/zones/shop-prod';
const run = '/acme/changes/change-shop-418';

/** The audit log of an org, or of the installation. */
const audit = (path: string): [name: string, path: string, act: Act][] => {
  const filter =
    (label: string, text: string): Act =>
    async ({ fill, press }) => {
      await fill(label, text);
      await press('Filter');
    };
  const chooseDay =
    (label: string): Act =>
    async ({ press }, page) => {
      // Typing depends on the language of the browser, and React overlooks a value that a script sets on the element.
      await page.$eval(`main form ::-p-aria([name="${label}"])`, (one) => {
        const field = one as unknown as EventTarget;
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, '2026-02-03');
        field.dispatchEvent(new Event('input', { bubbles: true }));
      });
      await press('Filter');
    };
  return [
    ['by', path, filter('Person', 'hanne@example.com')],
    ['operation', path, filter('Operation', 'signIn')],
    ['name', path, filter('Resource', 'shop')],
    ['since', path, chooseDay('From')],
    ['until', path, chooseDay('Before')],
    ['result', path, choose('Result', 'refused')],
    ['entry', path, click('main td button')],
    ['after', path, async ({ press }) => await press('Older changes')],
  ];
};

/** By the route: the parameter, the page where the control is, and its use. */
const table: Record<string, [name: string, path: string, act: Act][]> = {
  '/': [['whose', '/', click('main a ::-p-text(Everyone)')]],
  '/$org': [
    ['q', '/acme', search('#products-q', 'shop')],
    ['look', '/acme', click('main a ::-p-text(Needs a look)')],
    ['page', '/acme', click('main a ::-p-text(Next)')],
  ],
  '/$org/activity': [
    ['window', '/acme/activity', async ({ press }) => await press('Day')],
    ['product', '/acme/activity', choose('Product', 'shop')],
    ['view', '/acme/activity', async ({ press }) => await press('Table')],
    ['after', '/acme/activity?window=168', click('main a ::-p-text(Older lanes)')],
  ],
  '/$org/changes': [
    ['product', '/acme/changes', choose('Product', 'shop')],
    ['phase', '/acme/changes', choose('Phase', 'Failed')],
    ['q', '/acme/changes', search('main input[type=search]', 'quay displays')],
    ['after', '/acme/changes', click('main a ::-p-text(Older Changes)')],
  ],
  '/$org/changes/$run': [
    ['step', run, click('#review-tests summary')],
    ['tab', `${run}?step=review-tests`, click('#review-tests nav a ::-p-text(Transcript)')],
    ['view', run, click('main button ::-p-text(Table)')],
  ],
  '/$org/changes/$run/diff': [
    ['file', `${run}/diff`, click('nav[aria-label=Files] a[title="src/pay.ts"]')],
    ['view', `${run}/diff`, async ({ press }) => await press('Split')],
    ['q', `${run}/diff`, search('#filter', 'pay')],
  ],
  '/$org/changes/$run/evidence/$id': [
    ['zoom', `${run}/evidence/image`, async ({ press }) => await press('200 %')],
    ['q', `${run}/evidence/text`, search('#search', 'test')],
  ],
  '/$org/incidents': [
    ['product', '/acme/incidents', choose('Product', 'shop')],
    ['state', '/acme/incidents', choose('State', 'Resolved')],
    ['severity', '/acme/incidents', choose('Severity', 'critical')],
    ['q', '/acme/incidents', search('main input[type=search]', 'receipts')],
    ['after', '/acme/incidents', click('main a ::-p-text(More incidents)')],
    ['report', '/acme/incidents', click('main button ::-p-text(Open an incident)')],
  ],
  '/$org/products/new': [['from', '/acme/products/new', click('#from-archive')]],
  '/$org/products/$product': [
    ['promote', '/acme/products/shop', click('main a ::-p-text(Promote or roll back)')],
    ['release', '/acme/products/shop?promote=shop-prod', choose('Release', 'shop-v1.1.0')],
    ['logo', '/acme/products/shop', click('main a ::-p-text(Upload or suggest)')],
  ],
  '/$org/products/$product/reliability': [
    ['delivery', '/acme/products/shop/reliability', async ({ press }) => await press('90 days')],
    [
      'metric',
      '/acme/products/shop/reliability',
      click('section[aria-labelledby=delivery] button[aria-pressed=false] ::-p-text(Events)'),
    ],
  ],
  '/$org/products/$product/settings': [
    ['delete', '/acme/products/shop/settings', click('main a ::-p-text(Delete shop)')],
  ],
  '/$org/products/$product/board': [
    ['q', '/acme/products/shop/board', search('main input[type=search]', 'gitops')],
    ['label', '/acme/products/shop/board', choose('Label', 'sea')],
    ['repo', '/acme/products/shop/board', choose('Repo', 'acme/gitops')],
    ['new', '/acme/products/shop/board', click('main button ::-p-text(New issue)')],
    ['issue', '/acme/products/shop/board', click('main a ::-p-text(Tide tables of shop)')],
  ],
  '/$org/releases': [
    ['product', '/acme/products/shop', click('main a ::-p-text(All Releases)')],
    ['phase', '/acme/releases', choose('Phase', 'Succeeded')],
    ['q', '/acme/releases', search('#releases-q', 'v1.0')],
    ['start', '/acme/releases?product=shop', click('main a ::-p-text(Start a Release)')],
  ],
  '/$org/releases/$release': [['compare', '/acme/releases/shop-v1.1.0', choose('Compare with', 'shop-rc')]],
  '/$org/products/$product/zones/$zone': [
    ['hours', zone, click('main a ::-p-text(6 hours)')],
    ['tab', zone, click('nav[aria-label="Views of the zone"] a ::-p-text(Logs)')],
    ['lines', `${zone}?tab=logs`, click('main button ::-p-text(100)')],
    ['pod', `${zone}?tab=logs`, choose('Pod', 'shop-prod-7c9d8-4xkqp')],
    ['container', `${zone}?tab=logs`, choose('Container', 'exporter')],
    ['contains', `${zone}?tab=logs`, search('main input[type=search]', '404')],
    ['level', `${zone}?tab=logs`, choose('Level', 'error')],
    ['previous', `${zone}?tab=logs`, click('main button ::-p-text(Previous container)')],
    ['wrap', `${zone}?tab=logs`, click('main button ::-p-text(Wrap)')],
    [
      'line',
      `${zone}?tab=logs&contains=holds`,
      async (_hand, page) => await page.$eval('[role=region] a', (line) => line.click()),
    ],
  ],
  '/api/docs': [['q', '/api/docs', search('input[type=search]', 'freeze')]],
  '/$org/settings/access': [
    [
      'person',
      '/acme/settings/access',
      async ({ fill, press }) => {
        await fill('E-mail address of a person', 'priya@example.com', 'combobox');
        await press('Look up');
      },
    ],
  ],
  '/$org/settings/audit': audit('/acme/settings/audit'),
  '/settings/audit': audit('/settings/audit'),
  '/$org/settings/costs': [
    ['by', '/acme/settings/costs', choose('By', 'model')],
    ['days', '/acme/settings/costs', choose('Window', '7')],
  ],
  '/$org/settings/deliveries': [
    ['workflow', '/acme/settings/deliveries', choose('AgentWorkflow', 'change')],
    ['outcome', '/acme/settings/deliveries', choose('Outcome', 'nothing')],
    [
      'about',
      '/acme/settings/deliveries',
      async ({ press }) => await press('Why: issue.labeled of acme/shop#422 for change'),
    ],
  ],
  '/$org/settings/roles/$role': [['view', '/acme/settings/roles/architect', async ({ press }) => await press('YAML')]],
  '/$org/settings/workflows/$workflow': [
    ['view', '/acme/settings/workflows/nightly', async ({ press }) => await press('YAML')],
  ],
};

export const viewControls: ViewControl[] = Object.entries(table).flatMap(([route, controls]) =>
  controls.map(([name, path, act]) => ({ route, name, path, act })),
);
