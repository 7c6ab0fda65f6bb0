export type ClusterUser = {
  /** Where the API server is. */
  server: string;
  /** In base64, as kubeconfigs have it. */
  caData: string;
  token: string;
};

/** A kubeconfig for one user of one cluster. */
export function kubeconfigFor({ server, caData, token }: ClusterUser): string {
  const named = (rest: object) => [{ name: 'test', ...rest }];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: named({ context: { cluster: 'test', user: 'test' } }),
    clusters: named({ cluster: { server, 'certificate-authority-data': caData } }),
    users: named({ user: { token } }),
  });
}
