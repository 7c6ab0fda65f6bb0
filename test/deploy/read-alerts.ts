import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { PrometheusRuleEntry, PrometheusRuleGroup } from '../../src/kinds/prometheus-operator.ts';

export type Alert = Extract<PrometheusRuleEntry, { alert: string }>;

const chart = new URL('../../deploy/chart/', import.meta.url);

/** Reads the alerts about the service, before the chart adapts them to a release. */
export async function readAlertGroups(): Promise<PrometheusRuleGroup[]> {
  const file = await readFile(new URL('files/alerts.yaml', chart), 'utf8');
  return (parse(file) as { groups: PrometheusRuleGroup[] }).groups;
}

export const listAlerts = (groups: readonly PrometheusRuleGroup[]): Alert[] =>
  groups.flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule));
