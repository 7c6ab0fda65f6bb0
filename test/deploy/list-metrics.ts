import { parser } from '@prometheus-io/lezer-promql';

/** Lists the metrics that a PromQL expression selects; throws when it does not parse. */
export function listMetrics(expression: string): string[] {
  const names: string[] = [];
  parser.parse(expression).iterate({
    enter({ type, name, from, to, node }) {
      if (type.isError) throw new Error(`"${expression}" cannot be parsed at "${expression.slice(from)}"`);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') names.push(expression.slice(from, to));
    },
  });
  return names;
}
