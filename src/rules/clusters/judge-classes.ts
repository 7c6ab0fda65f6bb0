import type { ClusterFinding } from './kinds.ts';

/** The classes that a cluster offers, unless the account may not list them. */
export type InstalledClasses = readonly { name: string; isDefault: boolean }[] | 'forbidden';

type IngressSettings = { ingressClass: string | undefined; hasGateway: boolean };

const grant = (resource: string): string =>
  `Apply deploy/workload-cluster.yaml in the cluster, which allows the account to list ${resource}.`;

/** Judges whether the cluster can serve the addresses of zones as this installation does. */
export function judgeIngress(classes: InstalledClasses, { ingressClass, hasGateway }: IngressSettings): ClusterFinding {
  const subject = 'ingress';
  const resource = hasGateway ? 'GatewayClasses' : 'IngressClasses';
  const finding = (message: string, fix: string): ClusterFinding => ({ subject, result: 'warning', message, fix });
  if (classes === 'forbidden') return finding(`The account may not list ${resource}.`, grant(resource));
  if (classes.length === 0)
    return finding(
      `The cluster has no ${resource}, so zones there get no address.`,
      `Install ${hasGateway ? 'a Gateway controller' : 'an Ingress controller'}.`,
    );
  if (hasGateway) return { subject, result: 'ok', message: `GatewayClass ${listNames(classes)}.` };
  if (ingressClass !== undefined)
    return classes.some(({ name }) => name === ingressClass)
      ? { subject, result: 'ok', message: `IngressClass ${ingressClass}.` }
      : finding(
          `The cluster has no IngressClass "${ingressClass}", which INGRESS_CLASS names for all zones.`,
          `Install its controller, or create an IngressClass with this name.`,
        );
  const byDefault = classes.filter(({ isDefault }) => isDefault);
  if (byDefault.length === 1)
    return { subject, result: 'ok', message: `IngressClass ${listNames(byDefault)}, the default.` };
  return finding(
    `The cluster has ${byDefault.length === 0 ? 'no' : 'more than one'} default IngressClass (${listNames(classes)}), and zones name none.`,
    'Annotate one IngressClass with ingressclass.kubernetes.io/is-default-class: "true".',
  );
}

/** Judges whether volumes of zones get storage. */
export function judgeStorage(classes: InstalledClasses): ClusterFinding {
  const subject = 'storage';
  const finding = (message: string, fix: string): ClusterFinding => ({ subject, result: 'warning', message, fix });
  if (classes === 'forbidden') return finding('The account may not list StorageClasses.', grant('StorageClasses'));
  const byDefault = classes.filter(({ isDefault }) => isDefault);
  if (byDefault.length > 0)
    return { subject, result: 'ok', message: `StorageClass ${listNames(byDefault)}, the default.` };
  return finding(
    'The cluster has no default StorageClass, so volumes of zones stay pending.',
    'Annotate a StorageClass with storageclass.kubernetes.io/is-default-class: "true".',
  );
}

/** The names come from the cluster, so only valid Kubernetes names are shown. */
const listNames = (classes: readonly { name: string }[]): string =>
  classes
    .map(({ name }) => name)
    .filter((name) => /^[a-z0-9.-]{1,253}$/.test(name))
    .slice(0, 5)
    .join(', ');
