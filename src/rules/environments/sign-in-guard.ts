/**
 * The controllers that ask the service before they forward a request to a zone that requires sign-in. Each honors the
 * annotations `nginx.ingress.kubernetes.io/auth-*` of the zone chart; any other one would serve the zone to everyone.
 */
export const guardingControllers: readonly string[] = ['k8s.io/ingress-nginx'];

/** The cluster's ingress; the service cannot read the IngressClass of a workload cluster, whose operator declares it. */
export type IngressSettings = { className: string; workloadController: string | undefined };

type GuardFacts = {
  className: string;
  /** The workload cluster of the zone. */
  cluster?: string | undefined;
  /** The controller of the Ingress class; undefined when it is not known. */
  controller: string | undefined;
};

/** Returns why a zone that requires sign-in must not be served by the Ingress class. */
export function signInGuardViolation({ className, cluster, controller }: GuardFacts): string | undefined {
  if (controller !== undefined && guardingControllers.includes(controller)) return undefined;
  const known = guardingControllers.join(' or ');
  const fix = `Use an Ingress class of ${known}, or let the zone be public or without an address.`;
  if (controller !== undefined)
    return `The Ingress class "${className}" belongs to the controller ${controller}, which does not keep visitors out who have not signed in. ${fix}`;
  return cluster === undefined
    ? `The cluster has no Ingress class "${className}", so nothing keeps visitors out who have not signed in. ${fix}`
    : `The service cannot read the Ingress class of the cluster "${cluster}". Ask an operator to set WORKLOAD_INGRESS_CONTROLLER to its controller, which must be ${known}.`;
}
