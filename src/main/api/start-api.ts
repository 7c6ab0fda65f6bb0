import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ApiDeps } from '../../../api/deps.ts';
import { createApp } from '../../../api/app.ts';
import { toUnreadableProblem } from '../../../api/http/problem.ts';
import { DeliveryVerifier } from '../../../api/intake/delivery-verifier.ts';
import { createEarlyRefusal } from '../../../api/intake/refuse-early.ts';
import type { ZoneTelemetry } from '../../integrations/telemetry/zone-telemetry.ts';
import type { Config } from '../../config.ts';
import { toIssuer } from '../../rules/cloud-accounts/identity-token.ts';
import { readPublicKey } from '../../rules/licensing/read-license.ts';
import type { Connections } from '../wiring/open-connections.ts';
import { createCloudIdentity } from '../wiring/cloud-identity.ts';
import { createDecisionSigner } from '../wiring/decision-keys.ts';
import type { Tracing } from '../tracing/start-tracing.ts';
import { startHttpServer } from '../process/start-http-server.ts';
import { applyBackupSchedule } from '../../reconcile/apply-backup-schedule.ts';
import { endLostBackupsAndRestores } from '../../reconcile/end-lost-backups-and-restores.ts';
import { ensureInstallation } from '../../reconcile/ensure-installation.ts';
import { renewClusterTokens } from '../../reconcile/renew-cluster-tokens.ts';
import { applyInterrupted } from '../../reconcile/apply-interrupted.ts';
import { startMissingWork } from '../../reconcile/start-missing-work.ts';
import { toSetupTokenFile } from './ensure-setup-token.ts';
import { runReconciler } from './reconciler.ts';
import { auditSweepIntervalMs, createAuditSweep } from './sweep-audit.ts';
import { runSweeps, sweepExpired } from './sweep-expired.ts';

/** Longer than any request that a client waits for. */
const drainTimeoutMs = 25_000;

type ApiProcessOptions = {
  log: Logger;
  version: string;
  telemetry: ZoneTelemetry;
  isImageDeleted?: ApiDeps['isImageDeleted'];
  missingLanguages?: ApiDeps['missingLanguages'];
  registry: Registry;
  tracing?: Tracing | undefined;
  ui?: ApiDeps['ui'];
  /** Whether programs of this machine reach the API on loopback, regardless of HOST. */
  alsoOnLoopback?: boolean;
};

const scheduleSweepIntervalMs = 10 * 60_000;
const lostSweepIntervalMs = 60_000;
const tokenSweepIntervalMs = 60_000;
const missingWorkIntervalMs = 60_000;

/** Starts the API server; `stop` ends streams, lets running requests finish, closes the server and then what they use. */
export async function startApi(
  config: Config,
  {
    store,
    blobs,
    backups,
    codehost,
    models,
    registries,
    clouds,
    identityProviders,
    dns,
    temporal,
    workloadClusters,
    clusters,
    monitoring,
  }: Connections,
  {
    log,
    version,
    telemetry,
    isImageDeleted,
    missingLanguages,
    registry,
    tracing,
    ui,
    alsoOnLoopback = false,
  }: ApiProcessOptions,
): Promise<{ stop(): Promise<void> }> {
  const now = (): Date => new Date();
  const stopping = new AbortController();
  const shutdown = new AbortController();
  const deps = {
    store,
    temporal,
    codehost,
    blobs,
    backups,
    models,
    registries,
    clouds,
    cloudIdentity: createCloudIdentity(store, { issuer: toIssuer(config.publicUrl), now }),
    identityProviders,
    dns,
    telemetry,
    workloadClusters,
    clusters,
    monitoring,
    ...(isImageDeleted && { isImageDeleted }),
    ...(ui && { ui }),
    ...(missingLanguages && { missingLanguages }),
    signDecision: await createDecisionSigner(store, now),
    config: {
      publicUrl: config.publicUrl,
      codehostUrl: config.codehost.url,
      codehostApiUrl: config.codehost.apiUrl,
      codehostManifestToken: config.codehost.manifestToken,
      zoneAddress: config.zoneAddress,
      imageRepository: config.imageRepository,
      domains: config.domains,
      workloadClusters: config.workloadClusters,
      trustedProxies: config.trustedProxies,
      licenseKeys: config.licensePublicKeys.map(readPublicKey),
      passwordSignIn: config.passwordSignIn,
      tokenLifetime: config.tokenLifetime,
      setupTokenFile: toSetupTokenFile(config),
      webhooks: config.webhooks,
      quotas: config.quotas,
      metricsRetentionMs: config.metricsRetentionMs,
      agentNetwork: config.agentNetwork,
      backupDestination: toDestination(config.backups),
      version,
    },
    now,
    log,
    isOnlyProcess: config.store !== 'kubernetes',
    stopSignal: stopping.signal,
    shutdownSignal: shutdown.signal,
    metrics: registry,
    ...(tracing && { tracer: tracing.tracer }),
    deliveries: new DeliveryVerifier({ store, config, now, shutdownSignal: shutdown.signal }),
  } satisfies ApiDeps;
  await ensureInstallation(store, config);
  const app = createApp(deps);
  const server = await startHttpServer(app, {
    ...config,
    alsoOnLoopback,
    refuse: createEarlyRefusal(deps),
    toProblem: (cause) => toUnreadableProblem(cause, config.publicUrl),
  });
  // Only Kubernetes resources can be written without the API; the SQLite file belongs to this process.
  const reconciler =
    config.store === 'kubernetes'
      ? runReconciler(deps, stopping.signal)
      : Promise.all([
          runSweeps(() => startMissingWork(deps), { log, signal: stopping.signal, intervalMs: missingWorkIntervalMs }),
          runSweeps(() => applyInterrupted(deps), { log, signal: stopping.signal, intervalMs: missingWorkIntervalMs }),
        ]);
  const { auditRetentionMs } = config;
  const sweeps = [
    runSweeps(() => sweepExpired(deps), { log, signal: stopping.signal }),
    // A process may have died after it saved settings of backups, and before it applied their schedule.
    runSweeps(() => applyBackupSchedule(deps), { log, signal: stopping.signal, intervalMs: scheduleSweepIntervalMs }),
    runSweeps(() => endLostBackupsAndRestores(deps), { log, signal: stopping.signal, intervalMs: lostSweepIntervalMs }),
    runSweeps(() => renewClusterTokens(deps), { log, signal: stopping.signal, intervalMs: tokenSweepIntervalMs }),
    runSweeps(createAuditSweep({ ...deps, auditRetentionMs }), {
      log,
      signal: stopping.signal,
      intervalMs: auditSweepIntervalMs,
    }),
  ];
  return {
    async stop() {
      stopping.abort();
      // Load balancers need time to see that this process is not ready before it refuses connections.
      await sleep(config.shutdownDelaySeconds * 1_000);
      await server.stop(drainTimeoutMs);
      shutdown.abort();
      await Promise.all([reconciler, ...sweeps]);
    },
  };
}

const toDestination = ({ bucket, directory }: Config['backups']): string =>
  bucket ? `s3://${bucket.bucket}/${bucket.prefix}` : directory;
