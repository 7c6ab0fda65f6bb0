import { defined } from '../../defined.ts';
import { NameLabel } from '../names.ts';
import { orgNamespace, toOrgName } from '../resource.ts';
import type { AlertEpisode } from './alert-episode.ts';
import { IncidentSeverity, noteLengthMax } from './kinds.ts';
import type { WebhookAlert } from './webhook-message.ts';

const titleLengthMax = 200;

/** Reads what an alert is about from its labels; undefined when they name no Product of an org. */
export function toAlertEpisode(alert: WebhookAlert): AlertEpisode | undefined {
  const { namespace = '', product, zone, severity, slo, alertname } = alert.labels;
  const org = namespace.startsWith(orgNamespace('')) ? toOrgName(namespace) : '';
  const names = [org, product, ...(zone === undefined ? [] : [zone])];
  if (alertname === undefined || names.some((name) => !NameLabel.safeParse(name).success)) return undefined;
  const { success, data: known } = IncidentSeverity.safeParse(severity);
  const title = alert.annotations['summary']?.trim() || `${alertname} fires in ${zone ?? product}`;
  return defined({
    org,
    product: product as string,
    zone,
    // An alert of an unknown severity is still worth a look, but wakes no one.
    severity: success ? known : ('warning' as const),
    title: title.slice(0, titleLengthMax),
    text: alert.annotations['description']?.trim().slice(0, noteLengthMax) || undefined,
    name: alertname.slice(0, titleLengthMax),
    fingerprint: alert.fingerprint,
    startsAt: toUtc(alert.startsAt),
    endsAt: alert.status === 'resolved' ? toUtc(alert.endsAt ?? alert.startsAt) : undefined,
    slo,
    ruleUrl: toHttpUrl(alert.generatorURL),
  });
}

const toUtc = (time: string): string => new Date(time).toISOString();

/** The URL becomes a link on a page, so nothing but a web address is kept. */
const toHttpUrl = (text: string | undefined): string | undefined =>
  text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text) ? text.slice(0, 2000) : undefined;

/**
 * Returns whether a receiver may speak for a namespace. The operator names the receiver of an AlertmanagerConfig
 * `<namespace>/<config>/<receiver>`, so the route of one org cannot speak for another.
 */
export function speaksFor(receiver: string, namespace: string): boolean {
  const [owner, config] = receiver.split('/');
  return config === undefined || owner === namespace;
}
