/** `reference` is absent where the bare workflow has nothing of the kind. */
export type Row = { what: string; ours: number; reference?: number; unit: 'ms' | '/s' | 'B' };

/** Ours beside the reference, for people. */
export function table(rows: Row[]): string {
  const shown = rows.map(({ what, ours: value, reference, unit }) => [
    what,
    `${value.toFixed(1)} ${unit}`,
    ...(reference === undefined ? ['', ''] : [`${reference.toFixed(1)} ${unit}`, `${(value / reference).toFixed(2)}×`]),
  ]);
  const all = [['', 'ours', 'bare Temporal', 'ratio'], ...shown];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
  const lines = all.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
