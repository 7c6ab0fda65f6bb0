import { createPatch } from 'diff';
import { stringify } from 'yaml';
import { PrometheusRuleKind } from '../../src/kinds/prometheus-operator.ts';
import type { Product } from '../../src/rules/products/kinds.ts';
import { sloRulesName, toRuleGroups } from '../../src/rules/slos/to-prometheus-rule.ts';

type AlertRulesPreview = { name: string; patch: string };

/** Compares the PrometheusRule of a Product with that of a new spec. Returns undefined if they are the same. */
export function previewAlertRules(
  before: Product,
  spec: Product['spec'],
  retentionMs: number,
): AlertRulesPreview | undefined {
  const name = sloRulesName(before.metadata.name);
  const [current, next] = [before, { ...before, spec }].map((product) => formatRules(product, retentionMs));
  if (current === undefined || next === undefined || current === next) return undefined;
  return { name, patch: createPatch(`${name}.yaml`, current, next) };
}

/** Without SLOs, there is no PrometheusRule. */
function formatRules(product: Product, retentionMs: number): string {
  const groups = toRuleGroups(product, retentionMs);
  if (groups.length === 0) return '';
  const { apiVersion, kind } = PrometheusRuleKind;
  const { namespace, name } = product.metadata;
  const rule = { apiVersion, kind, metadata: { namespace, name: sloRulesName(name) }, spec: { groups } };
  return stringify(rule, { lineWidth: 0, aliasDuplicateObjects: false });
}
