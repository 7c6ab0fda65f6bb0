/** Leaves out the empty lines of lists, and the objects and lists that have no content because of them. */
export function trimSpec<T>(value: T): T {
  return trim(value) as T;
}

function trim(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isBlank(item)).map(trim);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    const trimmed = trim(item);
    return trimmed === undefined || isEmptied(item, trimmed) ? [] : [[key, trimmed]];
  });
  return Object.fromEntries(entries);
}

const isBlank = (item: unknown): boolean => typeof item === 'string' && item.trim() === '';

/** A list that a person left empty on purpose, such as the tools of an AgentRole, stays. */
const isEmptied = (before: unknown, after: unknown): boolean =>
  Array.isArray(before) && Array.isArray(after) && before.length > 0 && after.length === 0;
