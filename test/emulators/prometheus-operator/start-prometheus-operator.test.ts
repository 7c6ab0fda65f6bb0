import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startPrometheusOperator } from '../../../src/emulators/prometheus-operator/start-prometheus-operator.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { AlertmanagerConfigKind, PrometheusRuleKind } from '../../../src/kinds/prometheus-operator.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const namespace = 'org-acme';
const credentials = { name: 'service-alert-webhook', key: 'token' };
const aConfig = {
  route: { receiver: 'service' },
  receivers: [
    { name: 'service', webhookConfigs: [{ url: 'http://x', httpConfig: { authorization: { credentials } } }] },
  ],
};
const aRule = (expr: string) => ({ groups: [{ name: 'g', rules: [{ record: 'a:b', expr }] }] });

/** The checks accept what does not contain "wrong". */
async function startOperator({ failures = 0 } = {}) {
  const store = openMemoryStore();
  const folder = await createScratchFolder();
  const events: string[] = [];
  const check = async (file: string) =>
    (await readFile(file, 'utf8')).includes('wrong') ? 'it says wrong' : undefined;
  const operator = await startPrometheusOperator({
    store,
    folder,
    toAddress: ({ metadata }, port) => `${metadata.name}:${port}`,
    scrapeDefaults: {},
    additionalScrapeConfigs: [],
    alertmanager: {},
    checkRules: check,
    checkAlertmanager: check,
    reloadPrometheus: async () => void events.push('reload prometheus'),
    reloadAlertmanager: async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('a reload failed');
      events.push('reload alertmanager');
    },
    log: (line) => void events.push(line),
  });
  onTestFinished(async () => {
    await operator.close();
    await store.close();
  });
  const listRules = async () => await readdir(join(folder, 'rules'));
  const readReceivers = async (): Promise<string[]> =>
    (JSON.parse(await readFile(operator.alertmanagerFile, 'utf8')) as { receivers: { name: string }[] }).receivers.map(
      ({ name }) => name,
    );
  return { store, folder, events, operator, listRules, readReceivers };
}

it('writes files that only their owner can read before it resolves', async () => {
  const { operator, readReceivers } = await startOperator();
  expect(await readReceivers()).toEqual(['null']);
  for (const file of [operator.prometheusFile, operator.alertmanagerFile]) {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
  }
});

it('reloads Prometheus only when a rule changed, and keeps the others when one is invalid', async () => {
  const { store, events, listRules } = await startOperator();
  const valid = await store.create(PrometheusRuleKind, { metadata: { namespace, name: 'valid' }, spec: aRule('1') });
  await expect.poll(() => events).toEqual(['reload prometheus']);
  const invalid = await store.create(PrometheusRuleKind, {
    metadata: { namespace, name: 'bad' },
    spec: aRule('wrong'),
  });
  await expect.poll(() => events).toHaveLength(2);
  expect(events[1]).toBe('PrometheusRule org-acme/bad is invalid: it says wrong');
  expect(await listRules()).toEqual([`org-acme-valid-${valid.metadata.uid}.yml`]);

  // An unrelated object changes no file and repeats no message.
  await store.create(SecretKind, { metadata: { namespace, name: 'other' } });
  await store.replace(PrometheusRuleKind, { ...invalid, spec: aRule('2') });
  await expect.poll(listRules).toHaveLength(2);
  await store.delete(PrometheusRuleKind, { namespace, name: 'valid' });
  await expect.poll(listRules).toHaveLength(1);
  await expect.poll(() => events.slice(2)).toEqual(['reload prometheus', 'reload prometheus']);
});

it('removes the file of a rule that becomes invalid', async () => {
  const { store, events, listRules } = await startOperator();
  const rule = await store.create(PrometheusRuleKind, { metadata: { namespace, name: 'rule' }, spec: aRule('1') });
  await expect.poll(listRules).toHaveLength(1);
  await store.replace(PrometheusRuleKind, { ...rule, spec: aRule('wrong') });
  await expect.poll(listRules).toEqual([]);
  await expect.poll(() => events.at(-1)).toBe('reload prometheus');
});

it('adds an AlertmanagerConfig once its Secret exists, and follows the Secret', async () => {
  const { store, events, operator, readReceivers } = await startOperator();
  await store.create(AlertmanagerConfigKind, { metadata: { namespace, name: 'incidents' }, spec: aConfig });
  await expect
    .poll(() => events)
    .toEqual([
      'AlertmanagerConfig org-acme/incidents is invalid: the Secret org-acme/service-alert-webhook has no key "token"',
    ]);
  const metadata = { namespace, name: credentials.name };
  const secret = await store.create(SecretKind, { metadata, data: toSecretData({ token: 'first' }) });
  await expect.poll(readReceivers).toEqual(['null', 'org-acme/incidents/service']);
  await store.replace(SecretKind, { ...secret, data: toSecretData({ token: 'second' }) });
  await expect.poll(async () => await readFile(operator.alertmanagerFile, 'utf8')).toContain('second');
  await expect.poll(() => events.slice(1)).toEqual(['reload alertmanager', 'reload alertmanager']);
  expect(events.join()).not.toMatch(/first|second/);
});

it('keeps the other routes when Alertmanager would reject one', async () => {
  const { store, events, readReceivers } = await startOperator();
  const open = { ...aConfig, receivers: [{ name: 'service', webhookConfigs: [{ url: 'http://x' }] }] };
  await store.create(AlertmanagerConfigKind, { metadata: { namespace, name: 'good' }, spec: open });
  const wrong = { ...open, route: { receiver: 'wrong' } };
  await store.create(AlertmanagerConfigKind, { metadata: { namespace, name: 'bad' }, spec: wrong });
  await expect.poll(() => events).toContain('AlertmanagerConfig org-acme/bad is invalid: it says wrong');
  await expect.poll(readReceivers).toEqual(['null', 'org-acme/good/service']);
});

it('repeats a reload that failed', async () => {
  const { store, events } = await startOperator({ failures: 2 });
  const open = { ...aConfig, receivers: [{ name: 'service' }] };
  await store.create(AlertmanagerConfigKind, { metadata: { namespace, name: 'incidents' }, spec: open });
  const failed = 'operator: a reload failed';
  await expect.poll(() => events, { timeout: 30_000 }).toEqual([failed, failed, 'reload alertmanager']);
});
