import type { PrometheusRule, PrometheusRuleEntry, PrometheusRuleGroup } from '../../kinds/prometheus-operator.ts';
import { findReleaseZones } from '../products/find-release-zones.ts';
import type { Product } from '../products/kinds.ts';
import { toOrgName } from '../resource.ts';
import type { SloSpec } from './kinds.ts';
import { getSloWindow } from './slo-window.ts';
import { toSloRules, toZoneDownRule } from './to-slo-rules.ts';

type SloProduct = Pick<Product, 'metadata' | 'spec' | 'status'>;

export const sloRulesName = (product: string): string => `service-slo-${product}`;

/** The operator rejects an object whose rules are longer than 512 KiB as YAML, a quarter of which may be indentation. */
const objectLengthMax = 400_000;
/** The fields of a rule and the names of its labels. */
const ruleSyntaxLength = 150;

/** The zones of an SLO that the Product still has. */
export function findSloZones(slo: Pick<SloSpec, 'zones'>, spec: Product['spec']): string[] {
  const existing = new Set(spec.delivery.zones.map(({ name }) => name));
  return (slo.zones ?? findReleaseZones(spec)).filter((zone) => existing.has(zone));
}

/** Builds the objects with the alert rules of a Product: one, or several if they are too large for one. */
export function toRuleObjects(
  product: SloProduct,
  retentionMs: number,
): (Pick<PrometheusRule, 'spec'> & { name: string })[] {
  const parts: { groups: PrometheusRuleGroup[]; length: number }[] = [];
  for (const group of toRuleGroups(product, retentionMs)) {
    const length = group.rules.reduce((sum, rule) => sum + toLength(rule), 0);
    const last = parts.at(-1);
    if (!last || last.length + length > objectLengthMax) parts.push({ groups: [group], length });
    else {
      last.groups.push(group);
      last.length += length;
    }
  }
  const name = sloRulesName(product.metadata.name);
  // The name of a Product has no dot, so no other Product has an object of this name.
  return parts.map(({ groups }, index) => ({ name: index === 0 ? name : `${name}.${index + 1}`, spec: { groups } }));
}

const toLength = ({ expr, labels = {}, annotations = {} }: PrometheusRuleEntry): number =>
  [String(expr), ...Object.values(labels), ...Object.values(annotations)].reduce(
    (sum, { length }) => sum + length,
    ruleSyntaxLength,
  );

/** Builds the groups of alert rules of a Product; there are none without SLOs. */
export function toRuleGroups({ metadata, spec, status }: SloProduct, retentionMs: number): PrometheusRuleGroup[] {
  const org = toOrgName(metadata.namespace);
  const product = metadata.name;
  const slos = spec.slos ?? [];
  const zones = [...new Set(slos.flatMap((slo) => findSloZones(slo, spec)))];
  return zones.flatMap((zone) => {
    const target = { org, product, zone };
    const rules = slos
      .filter((slo) => findSloZones(slo, spec).includes(zone))
      .map((slo) => toSloRules(target, slo, getSloWindow(slo, retentionMs)));
    const { cluster } = spec.delivery.zones.find(({ name }) => name === zone) ?? {};
    const isDeployed = status?.zones?.some(({ name, release }) => name === zone && release !== undefined) ?? false;
    return [
      {
        name: `${product}/${zone}/burn`,
        interval: '30s',
        rules: [...rules.flatMap(({ burn }) => burn), ...(isDeployed ? [toZoneDownRule(target, cluster)] : [])],
      },
      { name: `${product}/${zone}/window`, interval: '5m', rules: rules.flatMap(({ window }) => window) },
    ];
  });
}
