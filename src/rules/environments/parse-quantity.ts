const units: Record<string, number> = {
  m: 1e-3,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
};

/** Converts a Kubernetes quantity to cores or bytes; returns undefined for an unknown format. */
export function parseQuantity(quantity: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(quantity) ?? [];
  const factor = unit === '' ? 1 : units[unit];
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor;
}
