import { AgentRoleKind, AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { DeliveryKind } from '../../../src/rules/intake/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { logoKey } from '../../../src/rules/products/logo.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { Kind, StoredObject } from '../../../src/rules/resource.ts';
import type { ZoneTelemetry } from '../../../src/integrations/telemetry/zone-telemetry.ts';
import { keepEvidence, openPullRequest, seedChangePages, type EvidenceFile } from './change-fixture.ts';
import { makePlatformAdmin, seedSettings } from './settings-fixture.ts';
import { writeTranscript } from './transcript-fixture.ts';
import { openZoneUi } from './zone-fixture.ts';

const namespace = 'org-acme';
export const hostileRun = 'change-shop-418';

/** Each part would run, open a dialog, ask another site, or turn around what stands next to it. */
export const hostile = [
  '"><img src=x onerror="ran=1"><script>ran=2;alert(1)</script><svg onload="ran=3"></svg>',
  '[run](javascript:ran=4) [page](data:text/html,1) ![shot](https://evil.test/s.png)',
  '<iframe src="//evil.test"></iframe> \u202Edrowssap\u200B',
].join(' ');
const hostileName = '"><img src=x onerror="ran=5"><script>ran=6</script> \u202Edrowssap\u200B';
const hostileUrl = 'javascript:window.ran=6';

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" onload="window.ran=7;alert(2)"><script>window.ran=8</script><image href="https://evil.test/a.png" width="9" height="9"/><foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:window.ran=9"/></foreignObject></svg>`;
const html = `<!doctype html><body onload="window.ran=10"><script>window.ran=11;fetch('https://evil.test')</script>${hostile}`;

export const hostileFiles: EvidenceFile[] = [
  { id: 'image', name: `${hostile}.svg`, type: 'image/svg+xml', content: svg },
  { id: 'text', name: `${hostile}.txt`, type: 'text/plain', content: `${hostile}\n`.repeat(50) },
  { id: 'json', name: `${hostile}.json`, type: 'application/json', content: JSON.stringify({ [hostile]: [hostile] }) },
  { id: 'page', name: `${hostile}.html`, type: 'text/html', content: html },
  { id: 'film', name: `${hostile}.webm`, type: 'video/webm', content: html },
  {
    id: 'captions',
    name: `${hostile}.vtt`,
    type: 'text/vtt',
    content: `WEBVTT\n\n00:00.000 --> 00:09.000\n${hostile}\n`,
  },
  {
    id: 'report',
    name: `${hostile}.xml`,
    type: 'text/plain',
    content: `<testsuite name="a"><testcase classname="b" name="c"><failure message="d">${hostile.replaceAll('<', '&lt;')}</failure></testcase></testsuite>`,
  },
];

const words =
  /^(title|message|fix|resource|note|summary|description|criterion|text|server|observed|responsibilities|detail)$/;
const names = /^(displayName|author|label)$/;

/** Makes each text that people, agents or other systems write hostile, and each address. */
function poison(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return name === 'url' ? hostileUrl : names.test(name) ? hostileName : words.test(name) ? hostile : value;
  if (Array.isArray(value)) return value.map((one) => poison(one, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, poison(part, key)]));
}

const telemetry: ZoneTelemetry = {
  queryLogs: async () => [
    { pod: 'shop-prod-7c9d8-4xkqp', lines: [{ at: new Date().toISOString(), text: `ERROR ${hostile}` }] },
  ],
  querySeries: async () => [],
};

type Spec = { spec: unknown; status?: unknown };

/** Opens the UI of an install in which every text that the service takes from elsewhere is hostile. */
export async function openHostileUi() {
  const ui = await openZoneUi({ telemetry, expected: [/\/models/] });
  const { store, blobs, shop } = ui;
  await seedChangePages(store, shop);
  await openPullRequest(store, shop, 'change-shop-420', {
    'src/\u202Egpj.evil\u200B.ts': `${hostile}\n// \u2066 } \u2069 if (isAdmin) {\n`,
    '<img src=x onerror=alert(1)>.md': `${hostile}\n`,
  });
  await seedSettings(store);
  await makePlatformAdmin(store);
  await keepEvidence(store, 'change-shop-419', 'review-tests', []);
  await keepHostileEvidence(ui);
  await writeTranscript({ store, blobs }, hostileRun, 'implement', [
    {
      at: new Date().toISOString(),
      trigger: 'start',
      prompt: hostile,
      text: hostile,
      call: { name: 'run_command', input: { command: hostile } },
      result: hostile,
    },
  ]);
  const headers = { authorization: `token ${shop.codehost.userToken}` };
  const body = JSON.stringify({ title: `Tide ${hostile}`, body: hostile, labels: ['<b>sea</b>'] });
  const url = `${shop.codehost.apiUrl}/repos/acme/shop/issues`;
  const { number } = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { number: number };
  const hash = 'a'.repeat(64);
  await blobs.put(logoKey({ org: 'acme', product: 'shop', hash }), Buffer.from(svg));
  await store.updateStatus(ProductKind, { namespace, name: 'shop' }, ({ status }) => ({
    ...status,
    logo: { repo: 'acme/shop', path: 'logo.svg', type: 'image/svg+xml', hash, commit: 'c0ffee' },
  }));
  const kinds = [
    ProductKind,
    AgentWorkflowRunKind,
    ReleaseKind,
    IncidentKind,
    PromotionKind,
    DomainKind,
    AgentWorkflowKind,
    AgentRoleKind,
    DeliveryKind,
    OrganizationKind,
  ];
  for (const kind of kinds as unknown as Kind<StoredObject & Spec>[]) {
    const { items } = await store.list(kind, {
      namespace: kind.kind === 'Organization' ? 'service-system' : namespace,
    });
    for (const { metadata } of items) {
      const item = await store.get(kind, metadata);
      await store.replace(kind, { ...item, spec: withShortTitle(poison(item.spec)) });
      if (item.status) await store.updateStatus(kind, metadata, (current) => poison(current.status));
    }
  }
  return { ...ui, issue: `acme/shop#${number}` };
}

/** The title of an incident has a limit. */
const withShortTitle = (spec: unknown): unknown => {
  const { title } = spec as { title?: unknown };
  return typeof title === 'string' ? { ...(spec as object), title: title.slice(0, 200) } : spec;
};

/** The files of "review-tests" that the pages show are replaced by hostile ones. */
async function keepHostileEvidence({ store }: Awaited<ReturnType<typeof openZoneUi>>): Promise<void> {
  await keepEvidence(
    store,
    'change-shop-420',
    'review-tests',
    hostileFiles.map((file) => ({ ...file, id: `evil-${file.id}` })),
  );
}
