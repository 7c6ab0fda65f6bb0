import { parser } from '@prometheus-io/lezer-promql';

/** Lists the metrics that a PromQL expression selects, and the labels that it names; throws when it does not parse. */
export function parseExpression(expression: string): { metrics: string[]; labels: string[] } {
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(expression).iterate({
    enter({ type, name, from, to, node }) {
      if (type.isError) throw new Error(`"${expression}" cannot be parsed at "${expression.slice(from)}"`);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.push(expression.slice(from, to));
      if (name === 'LabelName') labels.push(expression.slice(from, to));
    },
  });
  return { metrics, labels };
}
