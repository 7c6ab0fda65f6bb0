import { isReservedLabel } from '../domains/reserved-labels.ts';
import { NameLabel } from '../names.ts';
import { systemNamespace } from '../resource.ts';

/** Namespaces that clusters usually have. A zone is also a namespace, and must never be one of these. */
const clusterNamespaces = new Set(
  (
    'default argo argocd argo-cd argo-events argo-rollouts argo-workflows cattle cert-manager cilium consul crossplane ' +
    'datadog envoy-gateway external-dns external-secrets falco flux fluxcd gatekeeper gitlab harbor ingress-nginx ' +
    'istio istio-ingress jaeger keda knative-eventing knative-serving kubeflow kyverno linkerd linkerd-viz ' +
    'local-path-storage logging loki longhorn minio nginx-ingress nginx-gateway observability olm openebs operators ' +
    'opentelemetry postgres prometheus projectcontour redis rook-ceph sealed-secrets shipwright-build spire tekton ' +
    'tekton-pipelines tempo temporal tracing traefik trivy vault velero vcluster'
  ).split(' '),
);
const clusterNamespacePattern =
  /^(org|kube|openshift|cattle|gke|gmp|aks|eks|amazon|aws|azure|google)-|-(system|operator|operators)$/;

/** Returns why no zone may have a name: as a namespace or as a host it would stand for something else. */
export function zoneNameViolation(
  name: string,
  { host, ownHosts }: { host: string; ownHosts: readonly string[] },
): string | undefined {
  // The name of a zone may derive from that of its Product, and then no schema has checked it.
  if (!NameLabel.safeParse(name).success)
    return 'has more than 40 characters: give the Product a shorter name, or name its zones';
  if (name === systemNamespace || clusterNamespaces.has(name) || clusterNamespacePattern.test(name))
    return 'is reserved for a namespace of the cluster or the service: choose another name';
  if (isReservedLabel(name))
    return 'is reserved, because visitors would take it for the installation: choose another name';
  return ownHosts.includes(host) ? 'makes an address of the installation itself: choose another name' : undefined;
}
