import { type Tool, type ToolSearch, toolCacheDir } from '../../../src/main/tools/tool.ts';
import { ensureArgoCd, ensureHelm } from './ensure-argo-cd.ts';
import { ensureContour, ensureEnvoy } from './ensure-contour.ts';
import { ensureEtcd, ensureKubernetes } from './ensure-kubernetes.ts';
import { ensureCyclonus } from './ensure-cyclonus.ts';
import { ensureKwok } from './ensure-kwok.ts';
import { ensurePrometheusOperatorCrds } from './ensure-prometheus-operator-crds.ts';
import { ensureShipwrightCrds } from './ensure-shipwright-crds.ts';
import { ensureTraefik } from './ensure-traefik.ts';
import { ensureExternalDns } from './external-dns.ts';

/** Makes every tool that the cluster tests need, one after the other, so that no test has to wait for a build. */
const { env } = process;
const onProgress = (message: string): void => void process.stdout.write(`${message}\n`);
const search: ToolSearch = { cacheDir: toolCacheDir(env), env, onProgress };

const tools: ((search: ToolSearch) => Promise<Tool | string | undefined>)[] = [
  ensureKubernetes,
  ensureEtcd,
  ensureHelm,
  ensureKwok,
  ensureCyclonus,
  ensureArgoCd,
  ensurePrometheusOperatorCrds,
  ensureShipwrightCrds,
  ensureTraefik,
  ensureContour,
  ensureEnvoy,
  ensureExternalDns,
];
for (const ensure of tools) {
  const tool = await ensure(search);
  if (typeof tool === 'object' && 'missing' in tool) onProgress(tool.missing);
}
