import { isDeepStrictEqual } from 'node:util';
import { ignoreNotFound, isServiceError } from '../../src/errors.ts';
import type { LoadedRuleGroup, Monitoring, Sample } from '../../src/integrations/telemetry/monitoring.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { isOwnedBy, orgNamespace } from '../../src/rules/resource.ts';
import { judgeRules } from '../../src/rules/slos/judge-rules.ts';
import type { ObservabilityStatus } from '../../src/rules/slos/kinds.ts';
import { listSloIssues } from '../../src/rules/slos/list-slo-issues.ts';
import { toSeriesQuery } from '../../src/rules/slos/slo-queries.ts';
import { findSloZones, toRuleGroups, toRuleObjects } from '../../src/rules/slos/to-prometheus-rule.ts';
import { assertNoActiveRestore } from '../assert-no-active-restore.ts';
import { listSloRules, type SloRulesDeps, writeSloRules } from './write-slo-rules.ts';

export type SloDeps = SloRulesDeps & { monitoring: Monitoring; now: () => Date };

type SloIssues = NonNullable<ObservabilityStatus['slos']>;
type SeriesReader = (query: string) => Promise<Sample[] | undefined>;

/** An unchanged state is written again after this time only, because each write of a Product reaches all its watchers. */
const recheckedAfterMs = 60 * 60_000;
/**
 * After this time a check asks for no more series, so that it ends before its timeout: it is retried until it ends, and
 * the next rules are written only then.
 */
const seriesMs = 20_000;
const concurrentQueries = 8;

const describeRefusal = (reason: string): string =>
  `The alert rules could not be written: ${reason.slice(0, 500).toWellFormed()} Correct the SLOs, or have an operator correct what refuses the rules.`;

export function createSloActivities({ monitoring, now, ...deps }: SloDeps) {
  const { store, metricsRetentionMs } = deps;
  /** Returns a function that reads series, and finds undefined when Prometheus does not answer in time. */
  const createSeriesReader = () => {
    const endsAt = performance.now() + seriesMs;
    return async (query: string) => {
      if (performance.now() >= endsAt) return undefined;
      return await monitoring.queryInstant(query).catch((error: unknown) => {
        if (isServiceError(error, 'unavailable')) return undefined;
        throw error;
      });
    };
  };

  const listIssues = async ({ spec }: Product, readSeries: SeriesReader | undefined): Promise<SloIssues> => {
    const inZones = (spec.slos ?? []).flatMap((slo) => findSloZones(slo, spec).map((zone) => ({ slo, zone })));
    const issues: SloIssues = [];
    for (let start = 0; start < inZones.length; start += concurrentQueries) {
      const found = inZones.slice(start, start + concurrentQueries).map(async ({ slo, zone }) => {
        const series = await readSeries?.(toSeriesQuery({ slo, zone }));
        return listSloIssues(slo, series).map((message) => ({ name: slo.name, zone, message }));
      });
      issues.push(...(await Promise.all(found)).flat());
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

  const checkProduct = async (
    product: Product,
    loaded: LoadedRuleGroup[] | { reason: string },
    readSeries: SeriesReader,
  ): Promise<boolean> => {
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
    const slos = await listIssues(product, hasPrometheus ? readSeries : undefined);
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
      try {
        const refused = await writeSloRules(deps, org, products);
        for (const { product, reason } of refused)
          if (product) await recordObservability(product, { phase: 'Failed', message: describeRefusal(reason) });
        // Rules that could not be deleted keep the loop of an org without SLOs.
        return { slos: Math.max(slos, refused.length), hasOperator: true };
      } catch (error) {
        // An API server without the operator's kind answers that it is not found.
        if (isServiceError(error, 'not-found')) return { slos, hasOperator: false };
        throw error;
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
      const written = hasOperator ? await listSloRules(store, org) : undefined;
      // The status of a Product whose rules were refused says why.
      const isRefused = (product: Product): boolean => {
        if (written === undefined || product.status?.observability?.phase !== 'Failed') return false;
        const desired = new Map(toRuleObjects(product, metricsRetentionMs).map(({ name, spec }) => [name, spec]));
        const own = [...written.values()].filter((rule) => isOwnedBy(rule, product));
        return (
          own.some(({ metadata }) => !desired.has(metadata.name)) ||
          [...desired].some(([name, spec]) => !isDeepStrictEqual(written.get(name)?.spec, spec))
        );
      };
      const loaded = await readLoadedRules(hasOperator);
      const readSeries = createSeriesReader();
      let isSettled = true;
      for (const product of products.filter((one) => !isRejected(one) && !isRefused(one)))
        if (!(await checkProduct(product, loaded, readSeries))) isSettled = false;
      return { isSettled };
    },
  };
}
