import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Cluster, clusterServices } from '../../emulators/cluster/start-cluster.ts';
import { toPodHost } from '../../emulators/cluster/start-pod-network.ts';
import { startPrometheusOperator } from '../../emulators/prometheus-operator/start-prometheus-operator.ts';
import type { Store } from '../../store/store.ts';
import { assertPortFree } from '../process/ports.ts';
import { ensureAlertmanager, ensurePrometheus, type ToolCommand } from '../tools/ensure-metrics-servers.ts';
import { runProgram } from '../tools/run-program.ts';
import { type Progress, toolCacheDir } from '../tools/tool.ts';
import type { MetricsCredentials } from './create-credentials.ts';
import { alertmanagerFlags, prometheusFlags } from './server-flags.ts';
import { superviseProgram } from './supervise-program.ts';

type Ports = { prometheus: number; alertmanager: number };
export type MetricsOptions = {
  folder: string;
  ports: Ports;
  credentials: MetricsCredentials;
  retentionMs: number;
  environment: NodeJS.ProcessEnv;
  store: Store;
  cluster: Pick<Cluster, 'openPodNetwork'>;
  log: Logger;
  onProgress: Progress;
  /** The interval at which the services of the cluster are read; by default 15 s. */
  scrapeSeconds?: number;
};

/** The reasons why a server cannot be asked; undefined while it serves. */
export type MetricsViolations = Record<keyof Ports, string | undefined>;
export type EmbeddedMetrics = { violations: MetricsViolations; close(): Promise<void> };

/**
 * Starts Prometheus, Alertmanager and the operator in the background, so that the platform is ready without them. The
 * violations are current at any time.
 */
export function startMetrics(options: MetricsOptions): EmbeddedMetrics {
  const violations: MetricsViolations = {
    prometheus: 'Prometheus is starting.',
    alertmanager: 'Alertmanager is starting.',
  };
  const stops: (() => Promise<void>)[] = [];
  const closing = new AbortController();
  const starting = startServers(options, { violations, stops, signal: closing.signal }).catch((error: Error) => {
    violations.prometheus = error.message;
    violations.alertmanager ??= error.message;
    options.log.error({ from: 'metrics', err: error }, 'the metrics servers did not start');
  });
  return {
    violations,
    async close() {
      closing.abort();
      await starting;
      for (const stop of stops.splice(0).toReversed()) await stop();
    },
  };
}

type Started = { violations: MetricsViolations; stops: (() => Promise<void>)[]; signal: AbortSignal };

async function startServers(options: MetricsOptions, started: Started): Promise<void> {
  const { environment, onProgress, cluster, credentials, log } = options;
  const { violations, stops } = started;
  const search = { cacheDir: toolCacheDir(environment), env: environment, onProgress };
  const tools = Promise.all([ensurePrometheus(search), ensureAlertmanager(search)]);
  // A platform that stops does not wait for a download.
  const found = await Promise.race([tools, waitForAbort(started.signal)]);
  if (found === undefined) return;
  const [prometheus, alertmanager] = found;
  for (const [name, tool] of Object.entries({ prometheus, alertmanager }))
    if ('missing' in tool) onProgress(`No metrics: ${(violations[name as keyof Ports] = tool.missing)}`);
  if ('missing' in prometheus || started.signal.aborted) return;

  const podNetwork = await cluster.openPodNetwork(credentials.authorization);
  stops.push(podNetwork.close);
  const operator = await startOperator(options, { prometheus, alertmanager, proxyUrl: podNetwork.url });
  stops.push(operator.close);
  const files = { prometheus: operator.prometheusFile, alertmanager: operator.alertmanagerFile };
  for (const [name, tool] of [
    ['prometheus', prometheus],
    ['alertmanager', alertmanager],
  ] as const) {
    if ('missing' in tool || started.signal.aborted) continue;
    const program = await startServer(options, { name, command: tool.command, configFile: files[name], violations });
    stops.push(program.close);
  }
  log.info({ from: 'metrics' }, 'the metrics servers were started');
}

const waitForAbort = async (signal: AbortSignal): Promise<undefined> =>
  await new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));

type OperatorTools = { prometheus: ToolCommand; alertmanager: ToolCommand; proxyUrl: string };

async function startOperator(options: MetricsOptions, { prometheus, alertmanager, proxyUrl }: OperatorTools) {
  const { store, folder, ports, credentials, environment, log } = options;
  const { authorization } = credentials;
  const basicAuth = { basic_auth: { username: credentials.user, password_file: resolve(credentials.passwordFile) } };
  const check = (tool: ToolCommand, sibling: string, args: string[]) => async (file: string) => {
    if ('missing' in tool) return undefined;
    const program = tool.command.at(-1) ?? '';
    // A program that runs in a mount namespace has its sibling there too.
    const line = [...tool.command.slice(0, -1), join(dirname(program), sibling), ...args, file];
    const checked = await runProgram(line[0] ?? '', line.slice(1), { env: environment, silenceMs: 60_000 });
    return checked.ok ? undefined : checked.output.trim().replaceAll(/\s+/g, ' ').slice(0, 1_000);
  };
  // A server that is not running reads its files when it starts.
  const reload = (port: number) => async (): Promise<void> => {
    const url = `http://127.0.0.1:${port}/-/reload`;
    const response = await fetch(url, { method: 'POST', headers: { authorization } }).catch(() => undefined);
    if (response && !response.ok) throw new Error(`a reload failed (${response.status}): ${await response.text()}`);
  };
  const toJob = (job: string, host: string, path: string) => ({
    job_name: job,
    honor_labels: true,
    metrics_path: path,
    static_configs: [{ targets: [host] }],
  });
  return await startPrometheusOperator({
    store,
    folder: join(resolve(folder), 'config'),
    toAddress: ({ metadata }, port) => `${toPodHost(metadata)}:${port}`,
    scrapeSeconds: options.scrapeSeconds,
    scrapeDefaults: { proxy_url: proxyUrl, ...basicAuth },
    additionalScrapeConfigs: [
      toJob('kube-state-metrics', clusterServices.stateMetrics, '/metrics'),
      toJob('kubelet', clusterServices.kubelet, '/metrics/cadvisor'),
    ],
    alertmanager: { static_configs: [{ targets: [`127.0.0.1:${ports.alertmanager}`] }], ...basicAuth },
    checkRules: check(prometheus, 'promtool', ['check', 'rules', '--lint=none']),
    checkAlertmanager: check(alertmanager, 'amtool', ['check-config']),
    reloadPrometheus: reload(ports.prometheus),
    reloadAlertmanager: reload(ports.alertmanager),
    log: (line) => log.warn({ from: 'metrics' }, line),
  });
}

type Server = {
  name: keyof Ports;
  command: readonly [string, ...string[]];
  configFile: string;
  violations: MetricsViolations;
};
const titles = { prometheus: 'Prometheus', alertmanager: 'Alertmanager' };
const toFlags = { prometheus: prometheusFlags, alertmanager: alertmanagerFlags };
/** The runtime of Go collects garbage more often before the memory of a server exceeds this. */
const memoryLimit = '256MiB';

async function startServer(options: MetricsOptions, { name, command, configFile, violations }: Server) {
  const { folder, ports, credentials, environment, retentionMs } = options;
  const port = ports[name];
  const dataDir = resolve(folder, name);
  const logFile = join(folder, '..', 'logs', `${name}.log`);
  const server = { port, configFile, dataDir, webConfigFile: resolve(credentials.webConfigFile), retentionMs };
  return await superviseProgram({
    command,
    args: toFlags[name](server),
    environment: { PATH: environment['PATH'], GOMEMLIMIT: memoryLimit },
    logFile,
    pidFile: join(folder, `${name}.pid`),
    dataDir,
    beforeStart: async () => await assertPortFree({ port, purpose: titles[name], configuredBy: '--port' }),
    isReady: async () => {
      const headers = { authorization: credentials.authorization };
      return (await fetch(`http://127.0.0.1:${port}/-/ready`, { headers })).ok;
    },
    onChange: (cause) =>
      void (violations[name] = cause && `${titles[name]} does not run: ${cause} It is started again; see ${logFile}.`),
  });
}
