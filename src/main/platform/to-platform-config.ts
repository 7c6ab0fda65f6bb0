import { type Config, loadConfig } from '../../config.ts';
import { type TemporalCredentials, temporalServerName } from '../temporal/server-credentials.ts';
import type { TemporalEndpoint } from './ensure-temporal.ts';
import type { PlatformPorts } from './platform-ports.ts';

/** Names under `localhost` resolve to loopback, so a managed domain works without any DNS setup. */
export const localBaseDomain = 'domains.localhost';

export type EmbeddedAddresses = {
  folder: string;
  ports: PlatformPorts;
  temporal: Pick<TemporalEndpoint, 'address' | 'credentials' | 'namespace'>;
  codehost: { url: string; apiUrl: string; userToken: string };
  modelUrl: string | undefined;
  /** The file of the credentials for the embedded Prometheus and Alertmanager, if they are embedded. */
  metricsAuthFile?: string | undefined;
};

/** Returns the configuration of a platform on one machine. The addresses of embedded servers override the environment. */
export function toPlatformConfig(
  environment: Record<string, string | undefined>,
  { folder, ports, temporal, codehost, modelUrl, metricsAuthFile }: EmbeddedAddresses,
): Config {
  const managed = {
    MANAGED_BASE_DOMAINS: localBaseDomain,
    DNS_ZONE_SERVERS: `${localBaseDomain}=127.0.0.1:${ports.dns}`,
  };
  return loadConfig({
    INGRESS_ADDRESSES: '127.0.0.1',
    ...(environment['MANAGED_BASE_DOMAINS'] ? {} : managed),
    ...environment,
    PORT: String(ports.api),
    DATA_DIR: folder,
    TEMPORAL_ADDRESS: temporal.address,
    ...(temporal.namespace !== undefined && { TEMPORAL_NAMESPACE: temporal.namespace }),
    ...(temporal.credentials && toTlsVariables(temporal.credentials)),
    CODEHOST_URL: codehost.url,
    CODEHOST_API_URL: codehost.apiUrl,
    CODEHOST_MANIFEST_TOKEN: codehost.userToken,
    ...(metricsAuthFile !== undefined && {
      PROMETHEUS_URL: `http://127.0.0.1:${ports.prometheus}`,
      ALERTMANAGER_URL: `http://127.0.0.1:${ports.alertmanager}`,
      PROMETHEUS_BASIC_AUTH_FILE: metricsAuthFile,
      ALERT_WEBHOOK_URL: `http://127.0.0.1:${ports.api}/api/v1/webhooks/alerts`,
      PROMETHEUS_SCRAPE_SECONDS: '15',
    }),
    // The embedded code host has no rate limits.
    CODEHOST_THROTTLE: 'false',
    ZONE_ADDRESS: `http://{zone}.localhost:${ports.addresses}`,
    ZONE_SERVICE: `http://{product}.{zone}.svc.localhost:${ports.services}`,
    ...(modelUrl ? { MODEL_BASE_URL: modelUrl, MODEL_NAME: 'scripted', MODEL_API_KEY: 'none' } : {}),
  });
}

const toTlsVariables = ({ caPath, certificatePath, keyPath }: TemporalCredentials) => ({
  TEMPORAL_TLS: 'true',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: caPath,
  TEMPORAL_TLS_CLIENT_CERT_PATH: certificatePath,
  TEMPORAL_TLS_CLIENT_KEY_PATH: keyPath,
  TEMPORAL_TLS_SERVER_NAME: temporalServerName,
});
