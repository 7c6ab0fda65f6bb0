import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useMemo, useRef } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { fileDiffQuery } from '../../api/queries/file-diff.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Counts } from '../../parts/counts.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { DiffTable } from '../../parts/diff-table.tsx';
import { readPatch } from '../../parts/read-patch.ts';
import { useNearViewport } from './use-near-viewport.ts';
import styles from './diff.module.css';

type DiffFile = Schemas['DiffFile'];
const lineHeight = 18;
const firstLines = 400;

type Props = {
  org: string;
  run: string;
  head: string;
  file: DiffFile;
  isSplit: boolean;
  isOpen: boolean;
  isViewed: boolean;
  /** Lines far away are removed again, so that a large diff stays small in the browser. */
  isLarge: boolean;
  pullUrl: string | undefined;
  onToggle: () => void;
  onViewed: (isViewed: boolean) => void;
};

/** One file of a diff. Its lines are read when it comes near the screen. */
export function FileDiff({ file, isOpen, isViewed, isLarge, onToggle, onViewed, ...rest }: Props) {
  const element = useRef<HTMLElement>(null);
  const isNear = useNearViewport(element);
  const { path, previousPath, additions, deletions, generated } = file;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <article ref={element} className={styles['diff']} aria-label={path} data-file={path}>
      <header>
        <button type="button" aria-expanded={isOpen} aria-label={`Lines of ${path}`} onClick={onToggle}>
          <Chevron className="i s" aria-hidden="true" />
        </button>
        <span className={styles['path']}>
          {previousPath !== undefined && <span className="dim">{previousPath} → </span>}
          {path}
        </span>
        <CopyButton text={path} label={`Copy the path ${path}`} iconOnly />
        {generated && <span className="small dim">Written by a tool</span>}
        <span className={styles['tail']}>
          <Counts additions={additions} deletions={deletions} />
          <label>
            <input type="checkbox" checked={isViewed} onChange={(event) => onViewed(event.target.checked)} />
            Viewed<span className="sr">: {path}</span>
          </label>
        </span>
      </header>
      {isOpen && (isNear || !isLarge) && <Content file={file} {...rest} />}
      {isOpen && isLarge && !isNear && <div style={{ height: estimateHeight(file) }} />}
    </article>
  );
}

const estimateHeight = ({ additions, deletions, omitted }: DiffFile): number =>
  omitted ? 40 : lineHeight * Math.min(additions + deletions + 8, firstLines);

const omissions = {
  binary: 'This file is binary, or only its mode changed, so there are no lines to show.',
  'too-large': 'The code host does not return the lines of so large a change.',
};

type ContentProps = Pick<Props, 'org' | 'run' | 'head' | 'file' | 'isSplit' | 'pullUrl'>;

function Content({ org, run, head, file, isSplit, pullUrl }: ContentProps) {
  const { path, omitted } = file;
  const lines = useInfiniteQuery({ ...fileDiffQuery(org, run, head, path), enabled: omitted === undefined });
  const pages = lines.data?.pages;
  const patch = useMemo(
    () => readPatch((pages ?? []).map(({ items }) => items[0]?.patch ?? '').join('\n'), isSplit ? 'split' : 'unified'),
    [pages, isSplit],
  );
  if (omitted)
    return (
      <p className={styles['note']}>
        {omissions[omitted]}{' '}
        {pullUrl !== undefined && <OutsideLink href={pullUrl}>Open it on the code host</OutsideLink>}
      </p>
    );
  if (!pages && lines.error) return <ProblemNotice error={lines.error} />;
  if (!pages) return <div role="status" aria-label={`Loading ${path}`} style={{ height: estimateHeight(file) }} />;
  if (pages.some((page) => page.head !== head))
    return <p className={styles['note']}>This file changed since you opened the diff. Show the new commit above.</p>;
  return (
    <>
      {patch.hunks.length > 0 ? (
        <DiffTable path={path} patch={patch} />
      ) : (
        <p className={styles['note']}>No line differs.</p>
      )}
      {lines.error && <ProblemNotice error={lines.error} />}
      {lines.hasNextPage && (
        <p className={styles['note']}>
          <Button small busy={lines.isFetchingNextPage} onClick={() => void lines.fetchNextPage()}>
            Show more lines
          </Button>
        </p>
      )}
    </>
  );
}
