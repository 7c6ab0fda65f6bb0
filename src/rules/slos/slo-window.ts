const secondsPerUnit = { m: 60, h: 3_600, d: 86_400, w: 604_800 };
type Unit = keyof typeof secondsPerUnit;

/** The time for which Prometheus keeps metrics, unless the installation sets another. */
export const defaultRetentionMs = 14 * 86_400_000;

/** Converts a window such as `168h` or `7d` to seconds. */
export const toWindowSeconds = (window: string): number =>
  Number.parseInt(window, 10) * secondsPerUnit[window.slice(-1) as Unit];

/** The window of an SLO, which defaults to the retention of metrics. */
export const getSloWindow = ({ window }: { window?: string | undefined }, retentionMs: number): string =>
  window ?? formatWindow(retentionMs / 1_000);

const formatWindow = (seconds: number): string =>
  seconds % secondsPerUnit.d === 0 ? `${seconds / secondsPerUnit.d}d` : `${Math.floor(seconds / secondsPerUnit.h)}h`;

/** Formats a window for people: `7 days`. */
export function describeWindow(window: string): string {
  const seconds = toWindowSeconds(window);
  const [unit, size] = (
    [
      ['day', secondsPerUnit.d],
      ['hour', secondsPerUnit.h],
      ['minute', 60],
    ] as const
  ).find(([, unitSeconds]) => seconds % unitSeconds === 0) ?? ['minute', 60];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
