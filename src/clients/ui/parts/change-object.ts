type Changes<T> = { [K in keyof T]?: T[K] | undefined };

/** Returns the object with the changes; a field that is set to undefined is left out. */
export function changeObject<T extends object>(value: T, changes: Changes<T>): T {
  const entries = Object.entries({ ...value, ...changes }).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries) as T;
}
