import { useState } from 'react';

/** Returns the value while the condition holds, and its last value afterwards. */
export function useFrozenValue<T>(value: T, isCurrent: boolean): T {
  const [last, setLast] = useState(value);
  if (!isCurrent) return last;
  if (last !== value) setLast(value);
  return value;
}
