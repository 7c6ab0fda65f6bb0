import { readSecretText, type Secret } from '../../kinds/kubernetes.ts';
import type { AlertmanagerConfig, AlertmanagerRoute, AlertmanagerWebhook } from '../../kinds/prometheus-operator.ts';

type Ref = { namespace: string; name: string };
export type FindSecret = (ref: Ref) => Secret | undefined;
/** A part of alertmanager.yml. */
export type AlertmanagerPart = { route: object; receivers: object[] };

/**
 * Builds the route and the receivers of an object as the operator does: names are prefixed, and the route matches only
 * alerts of the object's own namespace. Throws when a Secret that it names does not exist.
 */
export function toAlertmanagerPart({ metadata, spec }: AlertmanagerConfig, findSecret: FindSecret): AlertmanagerPart {
  const toName = (name: string): string => `${metadata.namespace}/${metadata.name}/${name}`;
  const own = { name: 'namespace', value: metadata.namespace };
  const route = { ...spec.route, matchers: [own, ...(spec.route.matchers ?? [])], continue: true };
  return {
    route: toRoute(route, toName),
    receivers: spec.receivers.map(({ name, webhookConfigs = [] }) => ({
      name: toName(name),
      webhook_configs: webhookConfigs.map((webhook) => toWebhook(webhook, metadata, findSecret)),
    })),
  };
}

/** Builds alertmanager.yml. Alerts that no route matches go nowhere. */
export const buildAlertmanagerFile = (parts: readonly AlertmanagerPart[]): object => ({
  route: { receiver: 'null', routes: parts.map(({ route }) => route) },
  receivers: [{ name: 'null' }, ...parts.flatMap(({ receivers }) => receivers)],
});

const toRoute = (route: AlertmanagerRoute, toName: (name: string) => string): object => ({
  receiver: toName(route.receiver),
  ...(route.groupBy && { group_by: route.groupBy }),
  ...(route.groupWait && { group_wait: route.groupWait }),
  ...(route.groupInterval && { group_interval: route.groupInterval }),
  ...(route.repeatInterval && { repeat_interval: route.repeatInterval }),
  matchers: (route.matchers ?? []).map(
    ({ name, value, matchType = '=' }) => `${name}${matchType}${JSON.stringify(value)}`,
  ),
  ...(route.continue && { continue: true }),
  ...(route.routes && { routes: route.routes.map((child) => toRoute(child, toName)) }),
});

function toWebhook(
  { url, sendResolved, maxAlerts, httpConfig }: AlertmanagerWebhook,
  ref: Ref,
  findSecret: FindSecret,
) {
  const authorization = httpConfig?.authorization;
  return {
    url,
    ...(sendResolved !== undefined && { send_resolved: sendResolved }),
    ...(maxAlerts !== undefined && { max_alerts: maxAlerts }),
    http_config: {
      follow_redirects: httpConfig?.followRedirects ?? true,
      ...(authorization && {
        authorization: {
          type: authorization.type ?? 'Bearer',
          credentials: readCredentials(authorization.credentials, ref, findSecret),
        },
      }),
    },
  };
}

function readCredentials(entry: { name: string; key: string }, { namespace }: Ref, findSecret: FindSecret): string {
  const text = readSecretText(findSecret({ namespace, name: entry.name }), entry.key);
  if (text === undefined) throw new Error(`the Secret ${namespace}/${entry.name} has no key "${entry.key}"`);
  return text;
}
