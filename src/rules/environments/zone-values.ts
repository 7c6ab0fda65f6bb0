/** A zone's values file in the gitops repo, as the chart reads it. */
export type ZoneValues = {
  image: { repository: string; digest: string };
  replicas: number;
  /** Host names the app answers at. */
  ingress: { hosts: string[] };
  release: { name: string; version: string; commit: string };
};

/** Where the values file stands in the gitops repo. */
export const zoneValuesPath = (product: string, zone: string): string =>
  `products/${product}/zones/${zone}/values.yaml`;
export const chartPath = (product: string): string => `products/${product}/chart`;
