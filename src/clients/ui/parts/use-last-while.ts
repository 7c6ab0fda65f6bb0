import { useState } from 'react';

/** The value, or once the condition has ended, the value that it ended with. */
export function useLastWhile<T>(value: T, isCurrent: boolean): T {
  const [last, setLast] = useState(value);
  if (!isCurrent) return last;
  if (last !== value) setLast(value);
  return value;
}
