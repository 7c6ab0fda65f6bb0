/** Returns whether a pod of a zone belongs to its gate rather than to the app. Usage metrics know pods by name only. */
export const isGatePod = ({ product, pod }: { product: string; pod: string }): boolean =>
  pod.startsWith(`${product}-gate-`);
