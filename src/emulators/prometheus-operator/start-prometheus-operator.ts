import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PodKind, SecretKind } from '../../kinds/kubernetes.ts';
import { AlertmanagerConfigKind, PodMonitorKind, PrometheusRuleKind } from '../../kinds/prometheus-operator.ts';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { Store } from '../../store/store.ts';
import { watchObjects } from '../watch-objects.ts';
import { type CheckFile, openConfigFolder } from './config-folder.ts';
import { writeAlertmanager } from './write-alertmanager.ts';
import { writeRules } from './write-rules.ts';
import { type PrometheusSettings, writeScrapeConfigs } from './write-scrape-configs.ts';

export type PrometheusOperatorOptions = PrometheusSettings & {
  store: Store;
  /** The folder of the files that Prometheus and Alertmanager read. */
  folder: string;
  checkRules: CheckFile;
  checkAlertmanager: CheckFile;
  /** Makes a running program read its files again. */
  reloadPrometheus: () => Promise<void>;
  reloadAlertmanager: () => Promise<void>;
  log: (line: string) => void;
};

export type PrometheusOperator = { prometheusFile: string; alertmanagerFile: string; close(): Promise<void> };

/** Changes that arrive within this time are applied together. */
const settleMs = 200;
const retryMs = 1_000;
const watchedKinds: readonly Kind<StoredObject>[] = [
  PrometheusRuleKind,
  AlertmanagerConfigKind,
  PodMonitorKind,
  PodKind,
  SecretKind,
];

/**
 * Turns PrometheusRules, AlertmanagerConfigs and PodMonitors into the files of Prometheus and Alertmanager. Resolves once
 * the files exist. An invalid object is logged and left out; it does not affect the others.
 */
export async function startPrometheusOperator(options: PrometheusOperatorOptions): Promise<PrometheusOperator> {
  const { log } = options;
  const reconcile = await openReconciler(options);
  const stopping = new AbortController();
  const { signal } = stopping;
  let changed = Promise.withResolvers<void>();
  const onChange = (): void => changed.resolve();
  const watches = watchedKinds.map(
    async (kind) => await watchObjects(options.store, kind, { signal, onUpdate: onChange, onDelete: onChange }),
  );
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await changed.promise;
      await sleep(settleMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      changed = Promise.withResolvers();
      await reconcile().catch((error: Error) => {
        log(`operator: ${error.message}`);
        setTimeout(onChange, retryMs).unref();
      });
    }
  };
  const running = run();
  return {
    prometheusFile: join(options.folder, 'prometheus', 'prometheus.yml'),
    alertmanagerFile: join(options.folder, 'alertmanager', 'alertmanager.yml'),
    async close() {
      stopping.abort();
      onChange();
      await Promise.all([running, ...watches]);
    },
  };
}

/**
 * Writes all files, and returns a function that writes them again and reloads the program whose files changed since its
 * last successful reload.
 */
async function openReconciler(options: PrometheusOperatorOptions): Promise<() => Promise<void>> {
  const { store, log } = options;
  const open = async (name: string) => await openConfigFolder(join(options.folder, name));
  const [prometheus, rules, targets] = [await open('prometheus'), await open('rules'), await open('targets')];
  const [alertmanager, parts] = [await open('alertmanager'), await open('alertmanager-parts')];
  const write = async (): Promise<void> => {
    await writeRules({ store, folder: rules, check: options.checkRules, log });
    await writeScrapeConfigs({ store, prometheus, rules, targets }, options);
    await writeAlertmanager({ store, folder: alertmanager, parts, check: options.checkAlertmanager, log });
  };
  await write();
  const programs = [
    { folders: [prometheus, rules], reload: options.reloadPrometheus, isStale: false },
    { folders: [alertmanager], reload: options.reloadAlertmanager, isStale: false },
  ];
  for (const { folders } of programs) for (const folder of folders) folder.takeChanged();
  return async () => {
    await write();
    const reloads = programs.map(async (program) => {
      for (const folder of program.folders) if (folder.takeChanged()) program.isStale = true;
      if (!program.isStale) return;
      await program.reload();
      program.isStale = false;
    });
    const failed = (await Promise.allSettled(reloads)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  };
}
