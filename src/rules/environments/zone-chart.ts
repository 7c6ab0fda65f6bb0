import { createHash } from 'node:crypto';
import { parse, parseDocument, stringify } from 'yaml';
import { defined } from '../../defined.ts';
import { invalid, type ServiceError } from '../../errors.ts';
import type { ZoneSettings } from './settings.ts';
import { chartPath, type ZoneValues } from './zone-values.ts';

/** The files of the chart that renders zones, by their path in the chart. */
export type ChartFiles = Readonly<Record<string, string>>;

/** A Gateway of Gateway API, and one of its listeners; without it, zones attach to all listeners. */
export type IngressGateway = { namespace: string; name: string; sectionName?: string };

/** The settings of the cluster, which all zones share. */
export type ChartSettings = {
  publicUrl: string;
  /** The URL of a zone, with `{zone}` for its name. */
  zoneAddress: string;
  gate: { image: string | undefined; apiUrl: string };
  ingressClass?: string | undefined;
  /** The Gateway that serves zones instead of an Ingress controller. */
  gateway?: IngressGateway | undefined;
  certificateIssuer?: string | undefined;
  imagePullSecrets?: readonly string[];
  metricsLabels?: Readonly<Record<string, string>>;
};

/** Adds the settings of the cluster to the values of the chart. */
export function configureChart(
  files: ChartFiles,
  {
    publicUrl,
    zoneAddress,
    gate,
    ingressClass,
    gateway,
    certificateIssuer,
    imagePullSecrets = [],
    metricsLabels = {},
  }: ChartSettings,
): ChartFiles {
  const values = parseDocument(files['values.yaml'] ?? '');
  const gateValues = { image: gate.image ?? '', apiUrl: gate.apiUrl, publicUrl, zoneAddress };
  for (const [name, value] of Object.entries(gateValues)) values.setIn(['gate', name], value);
  if (ingressClass !== undefined) values.setIn(['ingress', 'className'], ingressClass);
  if (gateway !== undefined) values.setIn(['ingress', 'gateway'], values.createNode(gateway));
  if (certificateIssuer !== undefined) values.setIn(['certificates', 'clusterIssuer'], certificateIssuer);
  if (imagePullSecrets.length > 0)
    values.set('imagePullSecrets', values.createNode(imagePullSecrets.map((name) => ({ name }))));
  if (Object.keys(metricsLabels).length > 0) values.setIn(['metrics', 'labels'], values.createNode(metricsLabels));
  return { ...files, 'values.yaml': values.toString() };
}

/** Sets the URL of a zone, with `{zone}` for its name. Charts without a gate stay as they are. */
export function withZoneAddress(files: ChartFiles, zoneAddress: string): ChartFiles {
  const values = parseDocument(files['values.yaml'] ?? '');
  if (values.getIn(['gate', 'zoneAddress']) === zoneAddress || !values.hasIn(['gate'])) return files;
  values.setIn(['gate', 'zoneAddress'], zoneAddress);
  return { ...files, 'values.yaml': values.toString() };
}

/** Builds a Product's chart for the gitops repo. Its version contains a digest of all files, so one file shows whether the chart is current. */
export function buildProductChart(files: ChartFiles, product: string): { path: string; content: string }[] {
  const content = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12);
  const { version, ...about } = parse(files[chartFileName] ?? '') as { version: string };
  const named = quoteYaml({ ...about, name: product, version: `${version}+${digest}` });
  return Object.entries({ ...files, [chartFileName]: named }).map(([file, text]) => ({
    path: `${chartPath(product)}/${file}`,
    content: text,
  }));
}

export const chartFileName = 'Chart.yaml';

/** Parses the values file of a zone. Throws if a person has broken it, because a change of it would drop the Release. */
export function parseZoneValues(path: string, text: string): Partial<ZoneValues> | undefined {
  const values = parseYaml(path, text);
  if (values === null) return undefined;
  if (typeof values === 'object' && !Array.isArray(values)) return values;
  throw unreadableValues(path, Array.isArray(values) ? 'it is a list' : `it is a ${typeof values}`);
}

/** The service writes a few KiB. Parsing a file of megabytes, or comparing it, takes minutes. */
const valuesLengthMax = 64 * 1024;

function parseYaml(path: string, text: string): unknown {
  if (text.length > valuesLengthMax) throw unreadableValues(path, `it is larger than ${valuesLengthMax / 1024} KiB`);
  try {
    // The library compares each key with all others to find equal ones.
    return parse(text, { uniqueKeys: false });
  } catch (error) {
    // The first line says what is wrong and where; the others repeat the content of the file.
    const [reason = ''] = (error as Error).message.split('\n');
    throw unreadableValues(path, reason.replace(/[.:]$/, ''));
  }
}

const unreadableValues = (path: string, reason: string): ServiceError =>
  invalid(
    `The file ${path} of the gitops repo is not a YAML map: ${reason}. Fix the file and save the settings again, or promote a Release, which writes the file again.`,
  );

/** Formats the values file of a zone. */
export const formatZoneValues = (values: Partial<ZoneValues>): string => quoteYaml(values);

/** Formats a values file with other settings and the same Release. */
export const formatUpdatedValues = (current: Partial<ZoneValues> | undefined, settings: ZoneSettings): string =>
  formatZoneValues(defined({ image: current?.image, release: current?.release, ...settings }));

/** Quotes all texts, because Helm reads an older YAML, in which a bare `yes` or `0777` is not a text. */
const quoteYaml = (content: object): string =>
  stringify(content, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 });
