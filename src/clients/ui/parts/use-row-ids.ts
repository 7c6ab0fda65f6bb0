import { useState } from 'react';

/** Gives each row of a list an id, with which the row keeps its focus and stays open when a person moves it. */
export function useRowIds(count: number): { ids: number[]; setIds: (ids: number[]) => void } {
  const [kept, setIds] = useState<number[]>([]);
  const next = Math.max(-1, ...kept) + 1;
  return { ids: Array.from({ length: count }, (_, index) => kept[index] ?? next + index), setIds };
}
