import type { ProductSpec } from './kinds.ts';

/** Removes a zone from the spec and from every list that names it. An SLO that measured this zone only goes with it. */
export function withoutZone(spec: ProductSpec, zone: string): ProductSpec {
  const { slos, statusPage, delivery, ...rest } = spec;
  const keep = (zones: string[] | undefined): string[] | undefined => zones?.filter((name) => name !== zone);
  const toList = (zones: string[] | undefined): { zones?: string[] } => {
    const kept = keep(zones);
    return kept === undefined || kept.length === 0 ? {} : { zones: kept };
  };
  const { releaseZones, zones, ...otherDelivery } = delivery;
  const keptRelease = toList(releaseZones).zones;
  const keptSlos = slos?.flatMap(({ zones: sloZones, ...slo }) => {
    if (sloZones === undefined) return [slo];
    const kept = toList(sloZones);
    return kept.zones === undefined ? [] : [{ ...slo, ...kept }];
  });
  return {
    ...rest,
    delivery: {
      ...otherDelivery,
      zones: zones.filter(({ name }) => name !== zone),
      ...(keptRelease && { releaseZones: keptRelease }),
    },
    ...(keptSlos && { slos: keptSlos }),
    ...(statusPage && { statusPage: { public: statusPage.public, ...toList(statusPage.zones) } }),
  };
}
