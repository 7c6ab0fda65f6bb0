import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Column, Issue } from '../../api/queries/issues.ts';
import styles from './board.module.css';
import { CardMenu } from './card-menu.tsx';
import { CardState } from './card-state.tsx';
import { listTargets, toKey } from './moves.ts';

export type CardEvents = {
  onMove: (issue: Issue, column: Column) => void;
  onStart: (issue: Issue) => void;
  onDrag: (issue: Issue | undefined) => void;
};

/** An issue on the board. One card of the board is in the order of Tab; arrow keys lead to the others. */
export function Card({
  issue,
  org,
  isMoving,
  isChosen,
  events: { onMove, onStart, onDrag },
}: {
  issue: Issue;
  org: string;
  isMoving: boolean;
  isChosen: boolean;
  events: CardEvents;
}) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const key = toKey(issue);
  const tabIndex = isChosen ? 0 : -1;
  return (
    <li
      className={styles['card']}
      data-card={key}
      data-moving={isMoving || undefined}
      draggable={!isMoving && listTargets(issue).some(({ move }) => move)}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', issue.url);
        onDrag(issue);
      }}
      onDragEnd={() => onDrag(undefined)}
      onKeyDown={(event) => {
        if (event.key !== 'm' || event.ctrlKey || event.metaKey || event.altKey || isMenuOpen) return;
        event.preventDefault();
        setMenuOpen(true);
      }}
    >
      <div className={styles['head']}>
        <Link
          className={styles['title']}
          to="."
          search={(previous) => ({ ...previous, issue: key })}
          tabIndex={tabIndex}
          draggable={false}
          aria-keyshortcuts="m"
        >
          {issue.title}
        </Link>
        <CardMenu
          issue={issue}
          isOpen={isMenuOpen}
          tabIndex={tabIndex}
          onOpenChange={setMenuOpen}
          onMove={(column) => onMove(issue, column)}
          onStart={() => onStart(issue)}
        />
      </div>
      {issue.change?.phase === 'Failed' && issue.change.failure !== undefined && (
        <p className="small dim">
          {issue.change.step !== undefined && `${issue.change.step}: `}
          {issue.change.failure}
        </p>
      )}
      <div className={styles['meta']}>
        <span>#{issue.number}</span>
        {issue.labels.map((label) => (
          <span key={label} className={styles['label']}>
            {label}
          </span>
        ))}
        {issue.change && (
          <span className="push">
            <Link className="quiet" to="/$org/changes/$run" params={{ org, run: issue.change.run }} tabIndex={tabIndex}>
              <CardState org={org} change={issue.change} />
            </Link>
          </span>
        )}
      </div>
    </li>
  );
}
