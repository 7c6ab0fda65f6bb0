export type ClusterUser = {
  /** The URL of the API server. */
  server: string;
  /** Base64, as in kubeconfigs. */
  caData?: string | undefined;
  token: string;
};

/** Builds a kubeconfig for one user of one cluster. */
export function buildKubeconfig({ server, caData, token }: ClusterUser): string {
  const named = (rest: object) => [{ name: 'test', ...rest }];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: named({ context: { cluster: 'test', user: 'test' } }),
    clusters: named({
      cluster: { server, ...(caData !== undefined && { 'certificate-authority-data': caData }) },
    }),
    users: named({ user: { token } }),
  });
}
