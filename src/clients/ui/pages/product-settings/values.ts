import type { Product } from '../../api/types.ts';
import { defaultAccess, type accesses, type policies } from '../../parts/zone-terms.ts';
import type { SloSpec } from './slo-spec.ts';

type Spec = Product['spec'];
type ZoneSpec = Spec['delivery']['zones'][number];

/**
 * The settings of a Product by the names of their fields, so that three versions of them can be compared. The SLOs are
 * one setting, as JSON.
 */
export type Values = Record<string, string>;

export const toValues = ({
  displayName = '',
  description = '',
  repos,
  delivery,
  slos = [],
  statusPage,
}: Spec): Values => ({
  displayName,
  description,
  repos: repos.join('\n'),
  registry: delivery.registry ?? '',
  releaseZones: delivery.releaseZones?.join('\n') ?? '',
  slos: JSON.stringify(slos),
  statusReaders: statusPage?.public === true ? 'public' : 'signed-in',
  statusZones: statusPage?.zones?.join('\n') ?? '',
  ...Object.fromEntries(
    delivery.zones.flatMap(({ name, promotionPolicy = 'automatic', access = defaultAccess }) => [
      [`policy ${name}`, promotionPolicy],
      [`access ${name}`, access],
    ]),
  ),
});

/** Writes the values into the spec that they were read from; what has no field stays as it is. */
export function toSpec(spec: Spec, values: Values): Spec {
  const { displayName: _displayName, description: _description, statusPage: _statusPage, slos: _slos, ...rest } = spec;
  const displayName = values['displayName']?.trim() ?? '';
  const description = values['description']?.trim() ?? '';
  const repos = splitWords(values['repos']);
  const statusPage = toStatusPage(spec, values);
  const slos = readSlos(values);
  const zones = spec.delivery.zones.map((zone) => toZone(zone, values));
  const { releaseZones: _releaseZones, registry: _registry, ...delivery } = spec.delivery;
  const registry = values['registry']?.trim() ?? '';
  const releaseZones = splitWords(values['releaseZones']);
  return {
    ...rest,
    ...(displayName !== '' && { displayName }),
    ...(description !== '' && { description }),
    ...(statusPage && { statusPage }),
    ...((slos.length > 0 || spec.slos) && { slos }),
    repos,
    delivery: {
      ...delivery,
      zones,
      ...(registry !== '' && { registry }),
      ...(releaseZones.length > 0 && { releaseZones }),
    },
  };
}

export const readSlos = (values: Values): SloSpec[] => JSON.parse(values['slos'] ?? '[]') as SloSpec[];

export const splitWords = (text = ''): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** Leaves the setting out while it says only what holds without it. */
function toStatusPage({ statusPage }: Spec, values: Values): Spec['statusPage'] {
  const isPublic = values['statusReaders'] === 'public';
  const zones = splitWords(values['statusZones']);
  if (!statusPage && !isPublic && zones.length === 0) return undefined;
  return { public: isPublic, ...(zones.length > 0 && { zones }) };
}

function toZone(zone: ZoneSpec, values: Values): ZoneSpec {
  const before = toValues({ repos: [], delivery: { zones: [zone] } });
  const [policy, access] = [`policy ${zone.name}`, `access ${zone.name}`];
  return {
    ...zone,
    ...(values[policy] !== undefined &&
      values[policy] !== before[policy] && { promotionPolicy: values[policy] as keyof typeof policies }),
    ...(values[access] !== undefined &&
      values[access] !== before[access] && { access: values[access] as keyof typeof accesses }),
  };
}

export const listChanged = (before: Values, after: Values): string[] =>
  Object.keys(after).filter((name) => after[name] !== before[name]);

/** Keeps what a person changed since `base`, and takes everything else as it is now. */
export const mergeValues = (base: Values, theirs: Values, mine: Values): Values => ({
  ...theirs,
  ...Object.fromEntries(
    listChanged(base, mine)
      .filter((name) => name in theirs)
      .map((name) => [name, mine[name] ?? '']),
  ),
});
