import type { FieldError } from '../../errors.ts';
import type { ProductSpec } from '../products/kinds.ts';
import type { SloSpec } from './kinds.ts';
import { parseMatchers } from './parse-matchers.ts';
import { describeWindow, toWindowSeconds } from './slo-window.ts';

/** The burn alerts look back an hour and more, so a shorter window would be spent before they fire. */
const windowSecondsMin = 3_600;

/** Returns what is wrong with the SLOs of a Product, and with the zones that its other lists name. */
export function sloViolations(
  { slos = [], delivery, statusPage }: Pick<ProductSpec, 'slos' | 'delivery' | 'statusPage'>,
  retentionMs: number,
): FieldError[] {
  const zones = delivery.zones.map(({ name }) => name);
  const names = slos.map(({ name }) => name);
  return [
    ...zoneListViolations(delivery.releaseZones, zones, '/spec/delivery/releaseZones'),
    ...zoneListViolations(statusPage?.zones, zones, '/spec/statusPage/zones'),
    ...slos.flatMap((slo, index) => {
      const pointer = `/spec/slos/${index}`;
      return [
        ...(names.indexOf(slo.name) < index ? [{ pointer: `${pointer}/name`, detail: 'is a duplicate' }] : []),
        ...windowViolations(slo, { pointer: `${pointer}/window`, retentionMs }),
        ...zoneListViolations(slo.zones, zones, `${pointer}/zones`),
        ...indicatorViolations(slo.indicator, `${pointer}/indicator`),
      ];
    }),
  ];
}

function zoneListViolations(
  listed: readonly string[] | undefined,
  zones: readonly string[],
  pointer: string,
): FieldError[] {
  return (listed ?? []).flatMap((zone, index) => {
    if (listed?.indexOf(zone) !== index) return [{ pointer: `${pointer}/${index}`, detail: 'is a duplicate' }];
    if (zones.includes(zone)) return [];
    return [
      { pointer: `${pointer}/${index}`, detail: `is not a zone of the Product: choose from ${zones.join(', ')}` },
    ];
  });
}

function windowViolations(
  { window }: SloSpec,
  { pointer, retentionMs }: { pointer: string; retentionMs: number },
): FieldError[] {
  if (window === undefined) return [];
  const seconds = toWindowSeconds(window);
  if (seconds < windowSecondsMin) return [{ pointer, detail: 'must be at least 1h' }];
  if (seconds * 1_000 <= retentionMs) return [];
  const kept = describeWindow(`${Math.floor(retentionMs / 3_600_000)}h`);
  return [{ pointer, detail: `must be at most ${kept}, the time for which the installation keeps metrics` }];
}

function indicatorViolations({ availability, latency }: SloSpec['indicator'], pointer: string): FieldError[] {
  if ((availability === undefined) === (latency === undefined))
    return [{ pointer, detail: 'must have either availability or latency' }];
  const texts = {
    'availability/errors': availability?.errors,
    'availability/filter': availability?.filter,
    'latency/filter': latency?.filter,
  };
  return Object.entries(texts).flatMap(([field, text]) => {
    const parsed = text === undefined ? undefined : parseMatchers(text);
    return parsed && 'violation' in parsed ? [{ pointer: `${pointer}/${field}`, detail: parsed.violation }] : [];
  });
}
