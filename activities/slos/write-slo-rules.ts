import { isDeepStrictEqual } from 'node:util';
import { ignoreNotFound, isServiceError, type Reason } from '../../src/errors.ts';
import { type PrometheusRule, PrometheusRuleKind } from '../../src/kinds/prometheus-operator.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import type { Product } from '../../src/rules/products/kinds.ts';
import { isOwnedBy, orgNamespace, ownerReference } from '../../src/rules/resource.ts';
import { sloRulesName, toRuleObjects } from '../../src/rules/slos/to-prometheus-rule.ts';
import type { Store } from '../../src/store/store.ts';

export type SloRulesDeps = {
  store: Store;
  metricsRetentionMs: number;
  /** The labels by which Prometheus selects its rules. */
  metricsLabels: Readonly<Record<string, string>>;
};

/** Rules that the API server does not let the service write or delete, and why. */
type RefusedRules = {
  /** Absent if the rules are those of a Product that is being deleted. */
  product: Product | undefined;
  reason: string;
};

const namePrefix = sloRulesName('');
/** Policies of the cluster answer 403, as a missing permission does. */
const refusals: readonly Reason[] = ['invalid', 'too-large', 'cluster-access-denied'];
/** The operator, or another tool, has written or deleted a rule since it was read. */
const conflicts: readonly Reason[] = ['stale-version', 'already-exists', 'not-found'];
/** A conflict that does not end would otherwise keep the activity until its timeout. */
const attemptsMax = 5;

/**
 * Writes the alert rules of an org that differ from its SLOs, and deletes the others. Rules that are refused, as by the
 * admission webhook of the operator, must not hold back those of other Products, so they are returned.
 */
export async function writeSloRules(deps: SloRulesDeps, org: string, products: Product[]): Promise<RefusedRules[]> {
  for (let attempt = 1; ; attempt += 1) {
    // Only the list says that the kind is missing: a write does not find a rule that was deleted.
    const current = await listSloRules(deps.store, org);
    const refusedBy = attempt < attemptsMax ? refusals : [...refusals, ...conflicts];
    try {
      return await writeOnce(deps, { current, products, refusedBy });
    } catch (error) {
      if (!isServiceError(error) || !conflicts.includes(error.reason)) throw error;
    }
  }
}

/** Lists the rule objects of the service in an org by name. */
export async function listSloRules(store: Store, org: string): Promise<Map<string, PrometheusRule>> {
  const { items } = await store.list(PrometheusRuleKind, { namespace: orgNamespace(org) });
  const own = items.filter(({ metadata }) => metadata.name.startsWith(namePrefix));
  return new Map(own.map((rule) => [rule.metadata.name, rule]));
}

type Writing = { current: Map<string, PrometheusRule>; products: Product[]; refusedBy: readonly Reason[] };

async function writeOnce(deps: SloRulesDeps, { current, products, refusedBy }: Writing): Promise<RefusedRules[]> {
  const { store, metricsRetentionMs } = deps;
  const refused: RefusedRules[] = [];
  for (const product of products.filter((one) => !isRejected(one)))
    try {
      for (const object of toRuleObjects(product, metricsRetentionMs)) {
        await applyRules(deps, product, { ...object, current: current.get(object.name) });
        current.delete(object.name);
      }
    } catch (error) {
      refused.push({ product, reason: toRefusal(error, refusedBy) });
    }
  const held = [...products.filter(isRejected), ...refused.flatMap(({ product }) => product ?? [])];
  // The rules of the last accepted spec still protect the zones that run.
  const surplus = [...current.values()].filter((rule) => !held.some((product) => isOwnedBy(rule, product)));
  for (const rule of surplus)
    try {
      await store.delete(PrometheusRuleKind, rule.metadata).catch(ignoreNotFound);
    } catch (error) {
      const product = products.find((one) => isOwnedBy(rule, one));
      refused.push({ product, reason: toRefusal(error, refusedBy) });
    }
  return refused;
}

/** Returns why the API server refuses; rethrows any other error. */
function toRefusal(error: unknown, refusedBy: readonly Reason[]): string {
  if (!isServiceError(error) || !refusedBy.includes(error.reason)) throw error;
  return error.message;
}

async function applyRules(
  { store, metricsLabels }: SloRulesDeps,
  product: Product,
  { name, spec, current }: ReturnType<typeof toRuleObjects>[number] & { current: PrometheusRule | undefined },
): Promise<void> {
  // Labels of others stay: a tool that adds some to every object would otherwise have each check write again.
  const labels = { ...current?.metadata.labels, ...metricsLabels };
  const withLabels = Object.keys(labels).length > 0 && { labels };
  if (!current) {
    const { namespace } = product.metadata;
    const metadata = { namespace, name, ownerReferences: [ownerReference(product)], ...withLabels };
    await store.create(PrometheusRuleKind, { metadata, spec });
    return;
  }
  const isUnchanged = isDeepStrictEqual(current.spec, spec) && isDeepStrictEqual(current.metadata.labels ?? {}, labels);
  if (isUnchanged) return;
  await store.replace(PrometheusRuleKind, { ...current, metadata: { ...current.metadata, ...withLabels }, spec });
}
