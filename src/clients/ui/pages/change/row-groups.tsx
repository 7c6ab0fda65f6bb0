import { memo, type ReactNode, useDeferredValue } from 'react';
import styles from './row-groups.module.css';

const groupSize = 10;

type RenderRow<Row> = (row: Row, index: number, isCurrent: boolean) => ReactNode;

type Props<Row> = {
  rows: readonly Row[];
  /** The height of a row that is closed, in pixels. */
  rowHeight: number;
  role?: 'rowgroup' | undefined;
  /** The index of a row that is rendered at once, as all before it; below 0 for none. */
  current?: number;
  /** A stable function, so that only rows that changed are rendered again. */
  render: RenderRow<Row>;
};

/**
 * Renders hundreds of rows in groups: the first ones at once, and the others after the first paint, in reserved space.
 * The browser skips groups far from the screen; checking each row would take time in every frame.
 */
export function RowGroups<Row>({ rows, rowHeight, role, current = -1, render }: Props<Row>) {
  const rendered = useDeferredValue(Infinity, Math.floor(Math.max(0, current) / groupSize) + 1);
  return Array.from({ length: Math.ceil(rows.length / groupSize) }, (_, group) => {
    const start = group * groupSize;
    const members = rows.slice(start, start + groupSize);
    return (
      <Group
        key={start}
        rows={members}
        rowHeight={rowHeight}
        role={role}
        start={start}
        current={members[current - start] === undefined ? -1 : current}
        render={group < rendered ? render : undefined}
      />
    );
  });
}

type GroupProps<Row> = Omit<Props<Row>, 'render'> & {
  /** The index of the group's first row. */
  start: number;
  render: RenderRow<Row> | undefined;
};

function RowGroup<Row>({ rows, rowHeight, role, start, current, render }: GroupProps<Row>) {
  const blockSize = rows.length * rowHeight;
  return (
    <div
      className={styles['group']}
      role={role}
      style={render ? { containIntrinsicBlockSize: `auto ${blockSize}px` } : { blockSize }}
    >
      {render && rows.map((row, index) => render(row, start + index, start + index === current))}
    </div>
  );
}

/** A group is rendered again only when one of its rows changes, or becomes or ceases to be the current one. */
const Group = memo(
  RowGroup,
  (old, { rows, current, render }) =>
    render === old.render &&
    current === old.current &&
    rows.length === old.rows.length &&
    rows.every((row, index) => row === old.rows[index]),
) as typeof RowGroup;
