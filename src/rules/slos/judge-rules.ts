import type { PrometheusRuleGroup } from '../../kinds/prometheus-operator.ts';
import type { ObservabilityStatus } from './kinds.ts';

/** The part of a loaded rule that tells whether it is evaluated. */
type LoadedGroup = {
  name: string;
  rules: { name: string; labels: Record<string, string>; health: 'ok' | 'err' | 'unknown'; error?: string }[];
};
type RulesVerdict = Pick<ObservabilityStatus, 'phase' | 'message'>;

/** Decides whether Prometheus evaluates the rules of a Product, from the groups that it has loaded. */
export function judgeRules(groups: readonly PrometheusRuleGroup[], loaded: readonly LoadedGroup[]): RulesVerdict {
  const byName = new Map(loaded.map((group) => [group.name, group]));
  const missing = groups.filter(({ name, rules }) => !hasRules(byName.get(name), rules));
  if (missing.length > 0)
    return {
      phase: 'Pending',
      message: `Prometheus has not loaded ${missing.length === groups.length ? 'the rules' : 'all rules'} yet. If this does not change within minutes, check that the ruleSelector and ruleNamespaceSelector of the Prometheus resource select the PrometheusRule.`,
    };
  const rules = groups.flatMap(({ name }) => byName.get(name)?.rules ?? []);
  const failed = rules.find(({ health }) => health === 'err');
  if (failed)
    return {
      phase: 'Failed',
      message: `Prometheus cannot evaluate the rule ${failed.name} of ${failed.labels['zone']}: ${(failed.error ?? 'no reason given').slice(0, 300)}. Check that no other rule records the same series.`,
    };
  if (rules.some(({ health }) => health === 'unknown'))
    return { phase: 'Pending', message: 'Prometheus has loaded the rules and evaluates them within five minutes.' };
  return { phase: 'Ready', message: 'Prometheus evaluates all rules.' };
}

/** The operator keeps names and labels as they are, and Prometheus prints expressions in its own way. */
function hasRules(loaded: LoadedGroup | undefined, rules: PrometheusRuleGroup['rules']): boolean {
  const found = new Set(loaded?.rules.map(({ name, labels }) => toKey(name, labels)));
  return rules.every((rule) => found.has(toKey('alert' in rule ? rule.alert : rule.record, rule.labels ?? {})));
}

const toKey = (name: string, labels: Record<string, string>): string =>
  JSON.stringify([name, Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))]);
