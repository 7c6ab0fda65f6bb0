import { isDeepStrictEqual } from 'node:util';
import { ignoreNotFound, isServiceError } from '../../src/errors.ts';
import type { LoadedRuleGroup, Monitoring } from '../../src/integrations/telemetry/monitoring.ts';
import { type PrometheusRule, PrometheusRuleKind } from '../../src/kinds/prometheus-operator.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { isOwnedBy, orgNamespace, ownerReference } from '../../src/rules/resource.ts';
import { judgeRules } from '../../src/rules/slos/judge-rules.ts';
import type { ObservabilityStatus } from '../../src/rules/slos/kinds.ts';
import { listSloIssues } from '../../src/rules/slos/list-slo-issues.ts';
import { toSeriesQuery } from '../../src/rules/slos/slo-queries.ts';
import { findSloZones, sloRulesName, toRuleGroups, toRuleObjects } from '../../src/rules/slos/to-prometheus-rule.ts';
import type { Store } from '../../src/store/store.ts';
import { assertNoActiveRestore } from '../assert-no-active-restore.ts';

export type SloDeps = {
  store: Store;
  monitoring: Monitoring;
  metricsRetentionMs: number;
  /** The labels by which Prometheus selects its rules. */
  metricsLabels: Readonly<Record<string, string>>;
  now: () => Date;
};

type SloIssues = NonNullable<ObservabilityStatus['slos']>;

/** An unchanged state is written again after this time only, because each write of a Product reaches all its watchers. */
const recheckedAfterMs = 60 * 60_000;
const namePrefix = sloRulesName('');
/** A refusal that does not end would otherwise keep the activity until its timeout. */
const attemptsMax = 5;

export function createSloActivities({ store, monitoring, metricsRetentionMs, metricsLabels, now }: SloDeps) {
  const applyRules = async (
    product: Product,
    { name, spec }: ReturnType<typeof toRuleObjects>[number],
    current: PrometheusRule | undefined,
  ): Promise<void> => {
    // Labels of others stay: a tool that adds some to every object would otherwise have each check write again.
    const labels = { ...current?.metadata.labels, ...metricsLabels };
    const withLabels = Object.keys(labels).length > 0 && { labels };
    if (!current) {
      const { namespace } = product.metadata;
      const metadata = { namespace, name, ownerReferences: [ownerReference(product)], ...withLabels };
      await store.create(PrometheusRuleKind, { metadata, spec });
      return;
    }
    const isUnchanged =
      isDeepStrictEqual(current.spec, spec) && isDeepStrictEqual(current.metadata.labels ?? {}, labels);
    if (isUnchanged) return;
    await store.replace(PrometheusRuleKind, { ...current, metadata: { ...current.metadata, ...withLabels }, spec });
  };

  const writeRules = async (org: string, products: Product[]): Promise<void> => {
    const { items } = await store.list(PrometheusRuleKind, { namespace: orgNamespace(org) });
    const current = new Map(
      items.filter(({ metadata }) => metadata.name.startsWith(namePrefix)).map((rule) => [rule.metadata.name, rule]),
    );
    const [rejected, accepted] = [products.filter(isRejected), products.filter((product) => !isRejected(product))];
    for (const product of accepted)
      for (const object of toRuleObjects(product, metricsRetentionMs)) {
        await applyRules(product, object, current.get(object.name));
        current.delete(object.name);
      }
    for (const rule of current.values())
      // The rules of the last accepted spec still protect the zones that run.
      if (!rejected.some((product) => isOwnedBy(rule, product)))
        await store.delete(PrometheusRuleKind, rule.metadata).catch(ignoreNotFound);
  };

  const readSeries = async (query: string) =>
    await monitoring.queryInstant(query).catch((error: unknown) => {
      if (isServiceError(error, 'unavailable')) return undefined;
      throw error;
    });

  const listIssues = async ({ spec }: Product, hasPrometheus: boolean): Promise<SloIssues> => {
    const issues: SloIssues = [];
    for (const slo of spec.slos ?? [])
      for (const zone of findSloZones(slo, spec)) {
        const series = hasPrometheus ? await readSeries(toSeriesQuery({ slo, zone })) : undefined;
        issues.push(...listSloIssues(slo, series).map((message) => ({ name: slo.name, zone, message })));
      }
    return issues;
  };

  const recordObservability = async (
    product: Product,
    state: Omit<ObservabilityStatus, 'checkedAt'>,
  ): Promise<void> => {
    const checkedAt = now().toISOString();
    await store
      .updateStatus(ProductKind, product.metadata, ({ status }) => {
        const { checkedAt: before = '', ...previous } = status?.observability ?? {};
        const isRecent = now().getTime() - Date.parse(before) < recheckedAfterMs;
        if (isRecent && isDeepStrictEqual(previous, state)) return undefined;
        return { ...status, observability: { ...state, checkedAt } };
      })
      .catch(ignoreNotFound);
  };

  /** Returns why the rules of the installation cannot be read, instead of them. */
  const readLoadedRules = async (hasOperator: boolean): Promise<LoadedRuleGroup[] | { reason: string }> => {
    if (!hasOperator)
      return {
        reason:
          'The cluster does not have the kind PrometheusRule, so no alert can fire. Install the Prometheus operator; the service then writes the rules by itself.',
      };
    try {
      return await monitoring.listRules();
    } catch (error) {
      if (!isServiceError(error, 'unavailable')) throw error;
      return { reason: `The state of the rules is unknown. ${error.message}` };
    }
  };

  const checkProduct = async (product: Product, loaded: LoadedRuleGroup[] | { reason: string }): Promise<boolean> => {
    const groups = toRuleGroups(product, metricsRetentionMs);
    if (groups.length === 0) {
      if (product.status?.observability)
        await recordObservability(product, { phase: 'NoObjectives', message: 'The Product has no SLOs.' });
      return true;
    }
    const hasPrometheus = !('reason' in loaded);
    const verdict = hasPrometheus
      ? judgeRules(groups, loaded)
      : { phase: 'Unavailable' as const, message: loaded.reason };
    const slos = await listIssues(product, hasPrometheus);
    await recordObservability(product, { ...verdict, ...(slos.length > 0 && { slos }) });
    return verdict.phase !== 'Pending';
  };

  /** The pods of a Product that is being deleted go first, which is no outage. */
  const listProducts = async (org: string): Promise<Product[]> => {
    const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
    return items.filter((product) => !isProductDeleting(product));
  };

  return {
    /** Writes the alert rules of an org that differ from its SLOs, and deletes the others. */
    applySloRules: async ({ org }: { org: string }): Promise<{ slos: number; hasOperator: boolean }> => {
      await assertNoActiveRestore(store);
      const products = await listProducts(org);
      const slos = products.reduce((sum, { spec }) => sum + (spec.slos ?? []).length, 0);
      for (let attempt = 1; ; attempt += 1)
        try {
          await writeRules(org, products);
          return { slos, hasOperator: true };
        } catch (error) {
          // An API server without the operator's kind answers that it is not found.
          if (isServiceError(error, 'not-found')) return { slos, hasOperator: false };
          // The operator, or another tool, has written a rule since it was read.
          if (!isServiceError(error, 'conflict') || attempt === attemptsMax) throw error;
        }
    },

    /** Asks Prometheus whether it evaluates the rules and has the metrics, and records the answer on each Product. */
    checkSloRules: async ({
      org,
      hasOperator,
    }: {
      org: string;
      hasOperator: boolean;
    }): Promise<{ isSettled: boolean }> => {
      await assertNoActiveRestore(store);
      const products = await listProducts(org);
      if (products.every(({ spec, status }) => !spec.slos?.length && !status?.observability))
        return { isSettled: true };
      const loaded = await readLoadedRules(hasOperator);
      let isSettled = true;
      for (const product of products.filter((one) => !isRejected(one)))
        if (!(await checkProduct(product, loaded))) isSettled = false;
      return { isSettled };
    },
  };
}
