import { join } from 'node:path';
import { PodKind } from '../../kinds/kubernetes.ts';
import { PodMonitorKind } from '../../kinds/prometheus-operator.ts';
import type { Store } from '../../store/store.ts';
import type { ConfigFolder } from './config-folder.ts';
import { type ScrapeJob, type ToAddress, toScrapeJobs } from './scrape-configs.ts';

export type PrometheusSettings = {
  toAddress: ToAddress;
  /** Settings of every scrape job, such as a proxy and credentials. */
  scrapeDefaults: object;
  /** Scrape configs that no object describes. */
  additionalScrapeConfigs: readonly object[];
  /** An entry of `alertmanagers` in prometheus.yml. */
  alertmanager: object;
  /** The interval of scrapes that name none of their own; by default 15 s. */
  scrapeSeconds?: number | undefined;
};
type Folders = { store: Store; prometheus: ConfigFolder; rules: ConfigFolder; targets: ConfigFolder };

/** Writes prometheus.yml, and the targets of each job to a file of its own, which Prometheus follows without a reload. */
export async function writeScrapeConfigs(
  { store, prometheus, rules, targets }: Folders,
  settings: PrometheusSettings,
): Promise<void> {
  const { items: monitors } = await store.list(PodMonitorKind);
  const { items: pods } = await store.list(PodKind);
  const { scrapeSeconds = 15 } = settings;
  const scrape = { scrape_interval: `${scrapeSeconds}s`, scrape_timeout: `${Math.min(10, scrapeSeconds)}s` };
  const jobs = monitors.flatMap((monitor) => toScrapeJobs(monitor, pods, settings.toAddress));
  for (const job of jobs) await targets.write(toTargetsFile(job), job.targets);
  await prometheus.write('prometheus.yml', {
    global: { ...scrape, evaluation_interval: '15s' },
    rule_files: [join(rules.path, '*.yml')],
    alerting: { alertmanagers: [settings.alertmanager] },
    scrape_configs: [
      ...settings.additionalScrapeConfigs.map((config) => ({ ...settings.scrapeDefaults, ...config })),
      ...jobs.map((job) => ({
        ...settings.scrapeDefaults,
        job_name: job.name,
        ...job.config,
        file_sd_configs: [{ files: [join(targets.path, toTargetsFile(job))] }],
      })),
    ],
  });
  await targets.keepOnly(jobs.map(toTargetsFile));
}

const toTargetsFile = ({ name }: ScrapeJob): string => `${name.replaceAll('/', '_')}.json`;
