import { ignoreNotFound, isServiceError } from '../../src/errors.ts';
import type { ActiveAlert, Monitoring } from '../../src/integrations/telemetry/monitoring.ts';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { AlertmanagerConfigKind } from '../../src/kinds/prometheus-operator.ts';
import { alertWebhookSecret } from '../../src/rules/incidents/alert-webhook-secret.ts';
import { applyAlert } from '../../src/rules/incidents/apply-alert.ts';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { type FiringIncident, listFiring } from '../../src/rules/incidents/list-firing.ts';
import { toAlertEpisode } from '../../src/rules/incidents/to-alert-episode.ts';
import { alertRouteName, toAlertRoute } from '../../src/rules/incidents/to-alert-route.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import { recordAlert } from '../../src/store/record-alert.ts';
import type { Store } from '../../src/store/store.ts';
import { assertNoActiveRestore } from '../assert-no-active-restore.ts';

export type IncidentDeps = { store: Store; monitoring: Monitoring; alertWebhookUrl: string; now: () => Date };

/** The names go through the history, so the number per check is limited. */
const missingMax = 500;

export function createIncidentActivities({ store, monitoring, alertWebhookUrl, now }: IncidentDeps) {
  /** Returns false while there is no token: an operator who replaces it deletes it first. */
  const copyToken = async (namespace: string): Promise<boolean> => {
    const { name } = alertWebhookSecret;
    const token = await store.find(SecretKind, { namespace: systemNamespace, name });
    if (!token) return false;
    const { data } = token;
    await applyObject(store, SecretKind, { ref: { namespace, name }, build: () => ({ ...(data && { data }) }) });
    return true;
  };

  const writeRoute = async (namespace: string): Promise<void> => {
    const spec = toAlertRoute(alertWebhookUrl);
    await applyObject(store, AlertmanagerConfigKind, {
      ref: { namespace, name: alertRouteName },
      build: () => ({ spec }),
    });
  };

  const removeRoute = async (namespace: string): Promise<void> => {
    await store.delete(AlertmanagerConfigKind, { namespace, name: alertRouteName }).catch(ignoreNotFound);
  };

  /** Returns undefined when Alertmanager cannot be asked, because an alert that is not seen may still fire. */
  const listAlerts = async (namespace: string): Promise<ActiveAlert[] | undefined> => {
    try {
      return await monitoring.listAlerts(namespace);
    } catch (error) {
      if (isServiceError(error, 'unavailable')) return undefined;
      throw error;
    }
  };

  /** Opens the incidents of alerts whose message was lost, and reopens those whose alert only seemed to clear. */
  const openMissed = async (alerts: ActiveAlert[], firing: FiringIncident[]): Promise<void> => {
    const known = new Set(firing.map(({ fingerprint, startsAt }) => `${fingerprint} ${Date.parse(startsAt)}`));
    for (const alert of alerts) {
      // A silenced alert opens no incident.
      if (alert.state !== 'active' || known.has(`${alert.fingerprint} ${alert.startsAt.getTime()}`)) continue;
      const startsAt = alert.startsAt.toISOString();
      const { fingerprint, labels, annotations, generatorURL } = alert;
      const episode = toAlertEpisode({ status: 'firing', fingerprint, labels, annotations, generatorURL, startsAt });
      if (episode) await recordAlert(store, { ...episode, updatedAt: alert.updatedAt.toISOString() });
    }
  };

  /**
   * Resolves the incidents whose alert was also missing at the check before: an Alertmanager that has just started knows
   * an alert only once Prometheus has sent it again. Returns those that are missing for the first time.
   */
  const resolveEnded = async (
    ended: FiringIncident[],
    { missing, endsAt }: { missing: readonly string[]; endsAt: string },
  ): Promise<string[]> => {
    const first: string[] = [];
    for (const { incident, startsAt } of ended) {
      if (!missing.includes(incident.metadata.name)) {
        first.push(incident.metadata.name);
        continue;
      }
      await store
        .updateStatus(IncidentKind, incident.metadata, (current) => applyAlert(current, { startsAt, endsAt }))
        .catch(ignoreNotFound);
    }
    return first.slice(0, missingMax);
  };

  return {
    /** Brings the incidents of an org to what Alertmanager says, for messages that were lost. */
    checkIncidents: async ({
      org,
      missing,
    }: {
      org: string;
      missing: string[];
    }): Promise<{ missing: string[]; isNeeded: boolean }> => {
      await assertNoActiveRestore(store);
      const namespace = orgNamespace(org);
      const { items: products } = await store.list(ProductKind, { namespace });
      const hasSlos = products.some((product) => !isProductDeleting(product) && (product.spec.slos ?? []).length > 0);
      const firing = listFiring((await store.list(IncidentKind, { namespace })).items);
      if (!hasSlos && firing.length === 0) return { missing: [], isNeeded: false };
      // An alert that fires again during the check begins after this time, so it is not taken for the one that is gone.
      const endsAt = now().toISOString();
      const alerts = await listAlerts(namespace);
      if (!alerts) return { missing: [], isNeeded: true };
      await openMissed(alerts, firing);
      const fingerprints = new Set(alerts.map(({ fingerprint }) => fingerprint));
      const ended = firing.filter(({ fingerprint }) => !fingerprints.has(fingerprint));
      return { missing: await resolveEnded(ended, { missing, endsAt }), isNeeded: true };
    },

    /** Writes the route of an org's alerts to the API with the token that it needs, or removes it. */
    applyAlertRoute: async ({ org, isNeeded }: { org: string; isNeeded: boolean }): Promise<void> => {
      const namespace = orgNamespace(org);
      if (!isNeeded) return await removeRoute(namespace);
      if (!(await copyToken(namespace))) return;
      // An API server without the operator's kind answers that it is not found; SLOs say what is missing then.
      await writeRoute(namespace).catch(ignoreNotFound);
    },
  };
}
