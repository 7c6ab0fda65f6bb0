import type { RawSeries } from './generate-traffic.ts';

/** Writes a series as the input of promtool's unit tests of rules. */
export const formatSeries = ({ metric, labels, values }: RawSeries) => ({
  series: `${metric}${JSON.stringify(labels).replaceAll(/"(\w+)":/g, '$1=')}`,
  values: values.map((value) => value ?? '_').join(' '),
});
