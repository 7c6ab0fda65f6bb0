/** The baseline is absent when a plain workflow has no such measurement. */
export type Row = { what: string; service: number; baseline?: number; unit: 'ms' | '/s' | 'B' | 'kB' | '%' };

/** Formats the rows with their ratio to the baseline. */
export function formatTable(rows: Row[]): string {
  const cells = rows.map(({ what, service: value, baseline, unit }) => [
    what,
    `${value.toFixed(1)} ${unit}`,
    ...(baseline === undefined ? ['', ''] : [`${baseline.toFixed(1)} ${unit}`, `${(value / baseline).toFixed(2)}×`]),
  ]);
  const all = [['', 'service', 'baseline', 'ratio'], ...cells];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
  const lines = all.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
