import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { chartFor, type ChartFiles } from '../rules/environments/zone-chart.ts';

const folder = fileURLToPath(new URL('../../deploy/zone-chart', import.meta.url));

/** The chart of zones as this version of the service has it, for this installation. */
export async function zoneChart({ publicUrl, ingressClass, certificateIssuer }: Config): Promise<ChartFiles> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = files.map(async (file) => [relative(folder, file), await readFile(file, 'utf8')] as const);
  return chartFor(Object.fromEntries(await Promise.all(read)), { publicUrl, ingressClass, certificateIssuer });
}
