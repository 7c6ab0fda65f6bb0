import { useState, type ReactNode } from 'react';
import { Button } from './button.tsx';

/** The first rows of a list, and the button that adds as many: a page of thousands of elements is slow. */
export function useShowMore<Row>(rows: readonly Row[], step: number): { shown: readonly Row[]; more: ReactNode } {
  const [count, setCount] = useState(step);
  const more = rows.length > count && (
    <p>
      <Button small onClick={() => setCount(count + step)}>
        Show {Math.min(step, rows.length - count)} more of {rows.length}
      </Button>
    </p>
  );
  return { shown: rows.slice(0, count), more };
}
