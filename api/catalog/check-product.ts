import { invalid, type FieldError } from '../../src/errors.ts';
import { ProductKind, type ProductSpec } from '../../src/rules/catalog/kinds.ts';
import { volumeErrors } from '../../src/rules/environments/settings.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps } from '../deps.ts';
import { addressErrors } from './check-addresses.ts';

/** Refuses a Product that could not be delivered as it says, naming each field. */
export async function checkProduct(
  { store, config }: Pick<ApiDeps, 'store' | 'config'>,
  { org, name, spec, before }: { org: string; name: string; spec: ProductSpec; before?: ProductSpec },
): Promise<void> {
  const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
  const elsewhere = new Map(
    items
      .filter(({ metadata }) => metadata.name !== name)
      .flatMap((other) => other.spec.repos.map((repo) => [repo.toLowerCase(), other.metadata.name])),
  );
  const volumes = spec.delivery.zones.flatMap((zone, index) =>
    volumeErrors(zone.volumes ?? [], `/spec/delivery/zones/${index}/volumes`),
  );
  const errors = [
    ...zoneErrors(spec),
    ...volumes,
    ...clusterErrors(spec, before, config.workloadClusters ?? []),
    ...repoErrors(spec, elsewhere),
    ...(await addressErrors(store, { org, spec, before, settings: config.domains })),
  ];
  if (errors.length > 0)
    throw invalid(
      `The Product "${name}" cannot be as asked: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`,
      errors,
    );
}

/** A zone's name is also its namespace: those of the installation and of orgs are not to be had. */
function zoneErrors({ delivery }: ProductSpec): FieldError[] {
  const names = delivery.zones.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const pointer = `/spec/delivery/zones/${index}/name`;
    if (names.indexOf(name) < index) return [{ pointer, detail: 'is there twice' }];
    const reserved =
      name === systemNamespace || name === 'default' || name.startsWith('org-') || name.startsWith('kube-');
    return reserved
      ? [
          {
            pointer,
            detail:
              'is reserved: choose one that is not "default" and does not begin with "org-", "kube-" or the service’s own',
          },
        ]
      : [];
  });
}

/** Where a zone runs is decided once: its volumes would not come along. */
function clusterErrors(spec: ProductSpec, before: ProductSpec | undefined, known: readonly string[]): FieldError[] {
  return spec.delivery.zones.flatMap(({ name, cluster }, index) => {
    const pointer = `/spec/delivery/zones/${index}/cluster`;
    const was = before?.delivery.zones.find((zone) => zone.name === name);
    if (was && was.cluster !== cluster)
      return [{ pointer, detail: `cannot change: remove the zone "${name}" and add it again` }];
    if (was || cluster === undefined || known.includes(cluster)) return [];
    const others = known.length > 0 ? `: it has ${known.join(', ')}` : ', which has none; leave it out';
    return [{ pointer, detail: `is no workload cluster of this installation${others}` }];
  });
}

/** A run belongs to the one Product whose list holds the repo. */
function repoErrors({ repos }: ProductSpec, elsewhere: ReadonlyMap<string, string>): FieldError[] {
  const lower = repos.map((repo) => repo.toLowerCase());
  return lower.flatMap((repo, index) => {
    const pointer = `/spec/repos/${index}`;
    if (lower.indexOf(repo) < index) return [{ pointer, detail: 'is there twice' }];
    const owner = elsewhere.get(repo);
    return owner === undefined ? [] : [{ pointer, detail: `belongs to the Product "${owner}" already` }];
  });
}
