import type { Kind, StoredObject } from '../rules/resource.ts';
import type { LabelSelector, SecretKeySelector } from './kubernetes.ts';

type AlertingRule = { alert: string; for?: string; keep_firing_for?: string };
type RecordingRule = { record: string };
export type PrometheusRuleEntry = (AlertingRule | RecordingRule) & {
  expr: string | number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};
export type PrometheusRuleGroup = { name: string; interval?: string; rules: PrometheusRuleEntry[] };

/** The PrometheusRule of the Prometheus operator (monitoring.coreos.com/v1), with only the fields that the service uses. */
export type PrometheusRule = StoredObject & { spec: { groups?: PrometheusRuleGroup[] } };
export const PrometheusRuleKind: Kind<PrometheusRule> = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  plural: 'prometheusrules',
};

type Matcher = { name: string; value: string; matchType?: '=' | '!=' | '=~' | '!~' };
export type AlertmanagerRoute = {
  receiver: string;
  groupBy?: string[];
  groupWait?: string;
  groupInterval?: string;
  repeatInterval?: string;
  matchers?: Matcher[];
  continue?: boolean;
  routes?: AlertmanagerRoute[];
};
export type AlertmanagerWebhook = {
  url?: string;
  sendResolved?: boolean;
  /** The most alerts in one message; 0 means no limit. */
  maxAlerts?: number;
  httpConfig?: {
    /** The Secret is in the namespace of the object. */
    authorization?: { type?: string; credentials: SecretKeySelector };
    followRedirects?: boolean;
  };
};
export type AlertmanagerReceiver = { name: string; webhookConfigs?: AlertmanagerWebhook[] };

/**
 * The AlertmanagerConfig of the Prometheus operator (monitoring.coreos.com/v1alpha1), with only the fields that the
 * service uses. The operator adds the matcher `namespace="<its namespace>"` to the route.
 */
export type AlertmanagerConfig = StoredObject & {
  spec: { route: AlertmanagerRoute; receivers: AlertmanagerReceiver[] };
};
export const AlertmanagerConfigKind: Kind<AlertmanagerConfig> = {
  apiVersion: 'monitoring.coreos.com/v1alpha1',
  kind: 'AlertmanagerConfig',
  plural: 'alertmanagerconfigs',
};

export type PodMetricsEndpoint = {
  /** The name of a port of the pod. */
  port: string;
  path?: string;
  interval?: string;
  scrapeTimeout?: string;
  honorLabels?: boolean;
  honorTimestamps?: boolean;
  followRedirects?: boolean;
  /** The samples of a scrape that are dropped. */
  metricRelabelings?: { sourceLabels: string[]; regex: string; action: 'drop' }[];
};

/** The PodMonitor of the Prometheus operator (monitoring.coreos.com/v1), with only the fields that the service uses. */
export type PodMonitor = StoredObject & {
  spec: {
    selector: LabelSelector;
    podMetricsEndpoints: PodMetricsEndpoint[];
    sampleLimit?: number;
    labelLimit?: number;
    labelNameLengthLimit?: number;
    labelValueLengthLimit?: number;
    bodySizeLimit?: string;
  };
};
export const PodMonitorKind: Kind<PodMonitor> = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PodMonitor',
  plural: 'podmonitors',
};
