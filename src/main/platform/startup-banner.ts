import type { Platform } from './start-platform.ts';

/** Formats the addresses and the next step that a person needs once the platform runs. Only a terminal shows the setup token. */
export function formatStartupBanner(platform: Platform, durationMs: number, isTerminal: boolean): string {
  const nextStep =
    platform.setupToken === undefined
      ? `Sign in, or use an API token.`
      : isTerminal
        ? // A browser sends no fragment, so that the token stays out of the logs of servers.
          `Create the root user: ${new URL('/setup', platform.apiUrl).href}#${platform.setupToken}`
        : `Open the web UI and create the root user with the setup token in ${platform.setupTokenFile}.`;
  const lines = [
    `Ready in ${(durationMs / 1000).toFixed(1)} s.`,
    `  Web UI           ${new URL('/', platform.apiUrl).href}`,
    `  API              ${platform.apiUrl}`,
    `  Reference        ${platform.apiUrl}/docs`,
    `  Temporal Web UI  ${platform.temporalUiUrl}`,
    `  Code host        ${platform.codehostUrl}, user "owner" with the password in ${platform.codehostTokenFile}`,
    ...(platform.prometheus
      ? [
          `  Prometheus API   ${platform.prometheus.url}/api/v1, user "owner" with the password in ${platform.prometheus.passwordFile}`,
        ]
      : []),
    platform.usesScriptedModel
      ? '  Agents           replay scripted scenarios; set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY to use a model'
      : '  Agents           use the model of MODEL_BASE_URL',
    nextStep,
    'Press Ctrl-C to stop. State is kept; restart to resume.',
  ];
  return `${lines.join('\n')}\n`;
}
