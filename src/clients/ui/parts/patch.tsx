import { useMemo } from 'react';
import { computeNewLineNumber, computeOldLineNumber, isDelete, isInsert, type RenderGutter } from 'react-diff-view';
import { DiffTable } from './diff-table.tsx';
import { readPatch } from './read-patch.ts';
import styles from './patch.module.css';

/** The changes of one small file, with the changed words marked. */
export function Patch({ path, patch }: { path: string; patch: string }) {
  const view = useMemo(() => readPatch(patch), [patch]);
  const changes = view.hunks.flatMap((hunk) => hunk.changes);
  return (
    <div className={styles['patch']}>
      <header>
        <span className="mono small clip" title={path}>
          {path}
        </span>
        <span className="push num small">
          <span className={styles['plus']}>+{changes.filter(isInsert).length}</span>{' '}
          <span className={styles['minus']}>−{changes.filter(isDelete).length}</span>
        </span>
      </header>
      <DiffTable path={path} patch={view} renderGutter={renderGutter} />
    </div>
  );
}

/** Only the column of the new file is shown, so a removed line has its old number there. */
const renderGutter: RenderGutter = ({ change, side }) => {
  if (side === 'old') return null;
  return isDelete(change) ? computeOldLineNumber(change) : computeNewLineNumber(change);
};
