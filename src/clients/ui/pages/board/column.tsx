import type { DragEvent, ReactNode } from 'react';
import type { Column as ColumnName, Issue } from '../../api/queries/issues.ts';
import { Button } from '../../parts/button.tsx';
import styles from './board.module.css';
import { Card, type CardEvents } from './card.tsx';
import { toKey, toTarget } from './moves.ts';

/** A column of the board, which takes the cards that may be moved to it. */
export function Column({
  name,
  issues,
  limit,
  onMore,
  org,
  dragged,
  chosen,
  moving,
  events,
  children,
}: {
  name: ColumnName;
  issues: Issue[];
  /** The number of issues that are shown. */
  limit: number;
  onMore: () => void;
  org: string;
  dragged: Issue | undefined;
  chosen: string | undefined;
  moving: ReadonlyMap<string, ColumnName>;
  events: CardEvents;
  children?: ReactNode;
}) {
  const canDrop = dragged !== undefined && toTarget(dragged, name).move !== undefined;
  const drop = dragged === undefined || dragged.column === name ? undefined : canDrop ? 'yes' : 'no';
  const accept = (event: DragEvent): void => {
    if (canDrop) event.preventDefault();
  };
  return (
    <section
      className={styles['column']}
      aria-label={name}
      data-column={name}
      data-drop={drop}
      onDragEnter={accept}
      onDragOver={accept}
      onDrop={(event) => {
        event.preventDefault();
        if (dragged && canDrop) events.onMove(dragged, name);
      }}
    >
      <header>
        <h2>{name}</h2>
        <span className="faint">{issues.length}</span>
        {children && <span className="push">{children}</span>}
      </header>
      <ul>
        {issues.slice(0, limit).map((issue) => (
          <Card
            key={toKey(issue)}
            issue={issue}
            org={org}
            isMoving={moving.has(toKey(issue))}
            isChosen={toKey(issue) === chosen}
            events={events}
          />
        ))}
      </ul>
      {issues.length > limit && (
        <Button small look="plain" onClick={onMore}>
          Show more of {issues.length} issues
        </Button>
      )}
    </section>
  );
}
