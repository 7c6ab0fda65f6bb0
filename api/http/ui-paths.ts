/** The paths of the pages of the web UI. */
export const uiPaths = {
  product: (org: string, product: string): string => `/${org}/products/${product}`,
  zone: (org: string, product: string, zone: string): string => `/${org}/products/${product}/zones/${zone}`,
  issue: (org: string, product: string, issue: string): string =>
    `/${org}/products/${product}/board?issue=${encodeURIComponent(issue)}`,
  run: (org: string, run: string): string => `/${org}/changes/${run}`,
  release: (org: string, release: string): string => `/${org}/releases/${release}`,
  incident: (org: string, incident: string): string => `/${org}/incidents/${incident}`,
  domain: (org: string, domain: string): string => `/${org}/domains/${domain}`,
  setup: '/setup',
  setupCodehost: '/setup?step=codehost',
  signIn: '/signin',
  codehost: (org: string): string => `/${org}/settings/codehost`,
};
