import { createHash } from 'node:crypto';
import { parse, parseDocument, stringify } from 'yaml';
import { chartPath } from './zone-values.ts';

/** The files of the chart that zones are rendered with, by their paths below it. */
export type ChartFiles = Readonly<Record<string, string>>;

/** What an installation says of its cluster, and zones have in common. */
export type ChartSettings = {
  publicUrl: string;
  ingressClass?: string | undefined;
  certificateIssuer?: string | undefined;
};

/** The chart with what the installation says of its cluster among its values. */
export function chartFor(files: ChartFiles, { publicUrl, ingressClass, certificateIssuer }: ChartSettings): ChartFiles {
  const values = parseDocument(files['values.yaml'] ?? '');
  values.setIn(['signIn', 'url'], publicUrl);
  if (ingressClass !== undefined) values.setIn(['ingress', 'className'], ingressClass);
  if (certificateIssuer !== undefined) values.setIn(['certificates', 'clusterIssuer'], certificateIssuer);
  return { ...files, 'values.yaml': values.toString() };
}

/** A Product's chart as it stands in the gitops repo; its version holds what it was made of, so one file tells whether all are the same. */
export function productChart(files: ChartFiles, product: string): { path: string; content: string }[] {
  const content = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12);
  const { version, ...about } = parse(files[chartFile] ?? '') as { version: string };
  const named = stringify({ ...about, name: product, version: `${version}+${digest}` });
  return Object.entries({ ...files, [chartFile]: named }).map(([file, text]) => ({
    path: `${chartPath(product)}/${file}`,
    content: text,
  }));
}

export const chartFile = 'Chart.yaml';
