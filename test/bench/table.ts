/** The baseline is absent when a plain workflow has no such measurement. */
export type Row = {
  what: string;
  service: number;
  baseline?: number;
  unit: 'ms' | '/s' | 'B' | 'kB' | 'MB' | '%' | '';
  /** The value may not be larger. */
  limit?: number;
  /** The value may not be smaller. */
  atLeast?: number;
};

/** A value that could not be measured misses its limit too. */
export const isMissed = ({ service, limit = Infinity, atLeast = -Infinity }: Row): boolean =>
  !(service <= limit && service >= atLeast);

/** Formats the rows with their ratio to the baseline. */
export function formatTable(rows: Row[]): string {
  const hasLimits = rows.some(({ limit, atLeast }) => limit !== undefined || atLeast !== undefined);
  const toLimit = (row: Row): string => {
    const { limit, atLeast, unit } = row;
    const bound = limit === undefined ? atLeast !== undefined && `at least ${atLeast}` : `${limit}`;
    return bound === false ? '' : `${`${bound} ${unit}`.trimEnd()}${isMissed(row) ? ', MISSED' : ''}`;
  };
  const cells = rows.map((row) => {
    const { what, service: value, baseline, unit } = row;
    // A small figure without a unit is a score.
    const digits = unit === '' && value < 10 ? 3 : 1;
    const format = (figure: number): string => `${figure.toFixed(digits)} ${unit}`.trimEnd();
    const compared = baseline === undefined ? ['', ''] : [format(baseline), `${(value / baseline).toFixed(2)}×`];
    return [what, format(value), ...compared, ...(hasLimits ? [toLimit(row)] : [])];
  });
  const all = [['', 'service', 'baseline', 'ratio', ...(hasLimits ? ['limit'] : [])], ...cells];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
  const lines = all.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
