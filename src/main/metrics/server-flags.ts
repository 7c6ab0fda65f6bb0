type ServerSettings = {
  port: number;
  configFile: string;
  webConfigFile: string;
  dataDir: string;
  retentionMs: number;
};

const hourMs = 3_600_000;

/** The limits keep the machine usable, regardless of what apps expose and which queries run. */
export const prometheusFlags = (settings: ServerSettings): string[] => [
  ...toWebFlags(settings),
  // Only a caller with the password can ask for a reload.
  '--web.enable-lifecycle',
  '--web.max-connections=64',
  `--storage.tsdb.path=${settings.dataDir}`,
  `--storage.tsdb.retention.time=${Math.max(1, Math.round(settings.retentionMs / hourMs))}h`,
  '--storage.tsdb.retention.size=1GB',
  '--query.max-concurrency=8',
  '--query.max-samples=5000000',
  '--query.timeout=20s',
];

export const alertmanagerFlags = (settings: ServerSettings): string[] => [
  ...toWebFlags(settings),
  `--storage.path=${settings.dataDir}`,
  // Alertmanager saves which alerts it sent at this interval; a crash loses what followed.
  '--data.maintenance-interval=1m',
  // There are no peers.
  '--cluster.listen-address=',
];

const toWebFlags = ({ port, configFile, webConfigFile }: ServerSettings): string[] => [
  `--config.file=${configFile}`,
  `--web.config.file=${webConfigFile}`,
  `--web.listen-address=127.0.0.1:${port}`,
  `--web.external-url=http://localhost:${port}`,
];
