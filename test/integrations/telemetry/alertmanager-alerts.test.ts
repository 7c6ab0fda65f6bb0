import { expect, it, onTestFinished } from 'vitest';
import { listAlerts } from '../../../src/integrations/telemetry/alertmanager-alerts.ts';
import { describeWithAlertmanager, startAlertmanager } from '../../support/servers/alertmanager.ts';

describeWithAlertmanager('alerts of a real Alertmanager', () => {
  it('lists the alerts of a namespace with their labels, times and receivers, and says which are silenced', async () => {
    const { url, stop } = await startAlertmanager();
    onTestFinished(stop);
    const namespace = 'org-acme';
    expect(await listAlerts({ url })(namespace)).toEqual([]);
    const startsAt = new Date(Date.now() - 60_000);
    const endsAt = new Date(Date.now() + 600_000);
    const send = async (path: string, body: unknown): Promise<void> => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      expect((await fetch(`${url}/api/v2/${path}`, init)).status).toBe(200);
    };
    const toAlert = (alertname: string, labels: Record<string, string> = { namespace }) => ({
      labels: { alertname, ...labels },
      annotations: { summary: 'A' },
      startsAt,
      endsAt,
    });
    const generatorURL = 'http://prometheus.test/graph?g0.expr=burn';
    await send('alerts', [
      toAlert('Other', { namespace: 'org-acme2' }),
      toAlert('Unrelated', {}),
      { ...toAlert('Burning'), generatorURL },
      toAlert('Silenced'),
    ]);
    const matchers = [{ name: 'alertname', value: 'Silenced', isRegex: false }];
    await send('silences', { matchers, startsAt: new Date(), endsAt, createdBy: 'a person', comment: 'known' });
    const list = async () => (await listAlerts({ url })(namespace)).toSorted((a, b) => (a.state < b.state ? -1 : 1));
    await expect
      .poll(async () => (await list()).map(({ state }) => state), { timeout: 60_000 })
      .toEqual(['active', 'suppressed']);
    expect((await list())[0]).toEqual({
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      labels: { alertname: 'Burning', namespace },
      annotations: { summary: 'A' },
      startsAt,
      endsAt,
      updatedAt: expect.any(Date),
      state: 'active',
      receivers: ['none'],
      generatorURL,
    });
    expect((await list())[1]).not.toHaveProperty('generatorURL');
  });
});
