import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config.ts';
import { pullSecretName } from '../../rules/environments/registry-secrets.ts';
import { configureChart, type ChartFiles } from '../../rules/environments/zone-chart.ts';

const chartFolder = fileURLToPath(new URL('../../../deploy/zone-chart', import.meta.url));

/** Loads this version's chart of zones, configured for this installation. */
export async function loadZoneChart({
  publicUrl,
  zoneAddress,
  gate,
  ingressClass,
  ingressGateway,
  certificateIssuer,
  metricsLabels,
}: Config): Promise<ChartFiles> {
  const found = await readdir(chartFolder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = files.map(async (file) => [relative(chartFolder, file), await readFile(file, 'utf8')] as const);
  return configureChart(Object.fromEntries(await Promise.all(read)), {
    publicUrl,
    zoneAddress: zoneAddress('{zone}'),
    gate,
    ingressClass,
    gateway: ingressGateway,
    certificateIssuer,
    metricsLabels,
    imagePullSecrets: [pullSecretName],
  });
}
