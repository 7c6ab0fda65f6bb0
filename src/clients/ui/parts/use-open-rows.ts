import { useState } from 'react';

/** The rows of a list whose forms a person has opened. A form keeps what was typed there until it is closed. */
export function useOpenRows() {
  // The row that was opened last is the last one.
  const [names, setNames] = useState<readonly string[]>([]);
  const close = (name: string): void => setNames((all) => all.filter((one) => one !== name));
  const open = (name: string): void => setNames((all) => [...all.filter((one) => one !== name), name]);
  return { names, open, close };
}
