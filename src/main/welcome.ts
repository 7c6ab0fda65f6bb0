import type { Platform } from './platform.ts';

/** What a person needs to know once the platform is up. */
export function welcome(platform: Platform, tookMs: number): string {
  const getIn = platform.rootUserNeeded
    ? `Create the root user with the setup token in ${platform.setupTokenFile} (see the README's walk-through).`
    : `Sign in, or use an API token.`;
  const lines = [
    `Ready in ${(tookMs / 1000).toFixed(1)} s.`,
    `  API              ${platform.apiUrl}`,
    `  Reference        ${platform.apiUrl}/docs`,
    `  Temporal Web UI  ${platform.temporalUiUrl}`,
    `  Code host        ${platform.codehostUrl}`,
    platform.rehearsal
      ? '  Agents           rehearse worked examples; set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY for a real model'
      : '  Agents           speak to the model of MODEL_BASE_URL',
    getIn,
    'Ctrl-C stops it; started again it goes on where it was.',
  ];
  return `${lines.join('\n')}\n`;
}
