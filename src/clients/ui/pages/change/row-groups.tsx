import { type ReactNode, useDeferredValue } from 'react';
import styles from './row-groups.module.css';

const groupSize = 10;

type Props<Row> = {
  rows: readonly Row[];
  /** The height of a row that is closed, in pixels. */
  rowHeight: number;
  role?: 'rowgroup';
  /** The index of a row that is rendered at once, as all before it. */
  needed?: number;
  render: (row: Row, index: number) => ReactNode;
};

/**
 * Hundreds of rows. The first of them are rendered at once, and the others, for which there is room, once these are on the
 * screen. The browser leaves out groups far from the screen; to ask that of each row takes time in every frame.
 */
export function RowGroups<Row>({ rows, rowHeight, role, needed = 0, render }: Props<Row>) {
  const rendered = useDeferredValue(Infinity, Math.floor(Math.max(0, needed) / groupSize) + 1);
  return Array.from({ length: Math.ceil(rows.length / groupSize) }, (_, group) => {
    const start = group * groupSize;
    const members = rows.slice(start, start + groupSize);
    const blockSize = members.length * rowHeight;
    const isRendered = group < rendered;
    const style = isRendered ? { containIntrinsicBlockSize: `auto ${blockSize}px` } : { blockSize };
    return (
      <div key={start} className={styles['group']} role={role} style={style}>
        {isRendered && members.map((row, index) => render(row, start + index))}
      </div>
    );
  });
}
