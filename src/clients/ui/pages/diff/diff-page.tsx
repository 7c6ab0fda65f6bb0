import { Branch } from '../../parts/branch.tsx';
import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { changeQuery } from '../../api/queries/changes.ts';
import { diffQuery } from '../../api/queries/diff.ts';
import type { Change } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty, PageHead } from '../../parts/page.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { useKeys } from '../../parts/use-keys.ts';
import { Counts } from '../../parts/counts.tsx';
import { FileDiff } from './file-diff.tsx';
import { FileList } from './file-list.tsx';
import { useViewed } from './viewed.ts';
import { ProblemNotice } from '../../parts/problem.tsx';
import styles from './diff.module.css';

type RunDiff = Schemas['RunDiff'];
const route = getRouteApi('/signed-in/$org/changes/$run/diff');

/** Find-in-page works up to this many lines, because all of them are on the page. */
const linesAtOnceMax = 3_000;

/** All that a Change changes, file by file. */
export function DiffPage() {
  const { org, run } = route.useParams();
  const { data: change } = useSuspenseQuery(changeQuery(org, run));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, isRefetching } =
    useSuspenseInfiniteQuery(diffQuery(org, run));
  useLive({ kind: 'changes', org, name: run });
  const [diff] = data.pages;
  if (!diff?.head) return <NoCommit change={change} />;
  const newHead = findNewHead(change, diff);
  return (
    <>
      <Files change={change} diff={diff} files={data.pages.flatMap(({ items }) => items)}>
        {newHead !== undefined && (
          <p className={styles['moved']} role="status">
            {change.status?.mergeCommit === newHead
              ? 'The pull request was merged as'
              : 'The pull request has a new head commit,'}{' '}
            <code>{newHead.slice(0, 7)}</code>.
            <Button small busy={isRefetching} onClick={() => void refetch()}>
              Show <code>{newHead.slice(0, 7)}</code>
            </Button>
          </p>
        )}
      </Files>
      {error && <ProblemNotice error={error} />}
      {hasNextPage && (
        <p className={styles['more']}>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more files
          </Button>
        </p>
      )}
      {diff.truncated && !hasNextPage && (
        <p className={styles['more']}>The code host lists no more files than these. The Change may have more.</p>
      )}
    </>
  );
}

/** After the merge, the diff is that of the merge commit, which never changes. */
const findNewHead = ({ status }: Change, { head, source }: RunDiff): string | undefined => {
  const current = status?.mergeCommit ?? status?.pullRequest?.headSha;
  return source === 'pull-request' && current !== head ? current : undefined;
};

/** The files of a head commit that a person opened or closed. */
type Toggled = { head: string | undefined; files: ReadonlyMap<string, boolean> };

const pickToggled = (kept: Toggled | undefined, head: string | undefined): ReadonlyMap<string, boolean> =>
  kept && kept.head === head ? kept.files : new Map();

type FilesProps = { change: Change; diff: RunDiff; files: Schemas['DiffFile'][]; children: React.ReactNode };

function Files({ change, diff, files, children }: FilesProps) {
  const { org, run } = route.useParams();
  const { file: current, view, q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const router = useRouter();
  const [viewed, setViewed] = useViewed(`${org}/${run}`, diff.head ?? '');
  const [kept, setKept] = useState<Toggled>();
  // A file that was closed because it had been viewed is open again in a new head commit.
  const toggled = pickToggled(kept, diff.head);
  const shown = files.filter(({ path }) => path.toLowerCase().includes(q.toLowerCase()));
  const setOpen = (path: string, isOpen: boolean): void =>
    setKept((old) => ({ head: diff.head, files: new Map(pickToggled(old, diff.head)).set(path, isOpen) }));
  const mark = (path: string, isViewed: boolean): void => {
    setViewed(path, isViewed);
    setOpen(path, !isViewed);
  };
  // A large diff takes a while to show the file of one key, and the next key is about that file.
  const findLatest = (): string | undefined => (router.latestLocation.search as { file?: string }).file;
  const go = (step: number): void => {
    const latest = findLatest();
    const index = shown.findIndex(({ path }) => path === latest);
    const next = shown[Math.max(0, Math.min(shown.length - 1, index + step))];
    if (next) void navigate({ search: (old) => ({ ...old, file: next.path }), resetScroll: false });
  };
  useKeys({
    n: () => go(1),
    p: () => go(-1),
    v: () => {
      const latest = findLatest();
      if (latest !== undefined) mark(latest, !viewed.has(latest));
    },
  });
  useEffect(() => {
    if (current === undefined) return;
    const article = document.querySelector(`[data-file="${CSS.escape(current)}"]`);
    article?.scrollIntoView({ block: 'start' });
    article?.querySelector('button')?.focus({ preventScroll: true });
  }, [current]);

  const { totals, base = '', head = '' } = diff;
  const title = `${totals.files} ${totals.files === 1 ? 'file' : 'files'}`;
  return (
    <>
      <PageHead
        title={`${title}, +${totals.additions.toLocaleString('en')} −${totals.deletions.toLocaleString('en')}`}
        heading={
          <>
            {title}, <Counts {...totals} />
          </>
        }
        actions={
          <>
            <Segmented
              label="View"
              value={view ?? 'unified'}
              options={[
                ['unified', 'Unified'],
                ['split', 'Split'],
              ]}
              onChange={(next) =>
                void navigate({
                  search: ({ view: _view, ...old }) => (next === 'split' ? { ...old, view: next } : old),
                  resetScroll: false,
                })
              }
            />
            <BackToChange change={change} />
          </>
        }
      >
        <code>{head.slice(0, 7)}</code> against <Branch name={change.status?.baseBranch} /> at{' '}
        <code>{base.slice(0, 7)}</code>. You have seen {files.filter(({ path }) => viewed.has(path)).length} of{' '}
        {totals.files}.
      </PageHead>
      {children}
      <div className={styles['view']}>
        <FileList files={shown} viewed={viewed} current={current} filter={q} />
        <div className={styles['files']}>
          {shown.map((file) => (
            <FileDiff
              key={file.path}
              org={org}
              run={run}
              head={head}
              file={file}
              isSplit={view === 'split'}
              isOpen={toggled.get(file.path) ?? (!file.generated && !viewed.has(file.path))}
              isViewed={viewed.has(file.path)}
              isLarge={totals.additions + totals.deletions > linesAtOnceMax}
              pullUrl={change.status?.pullRequest?.url}
              onToggle={() =>
                setOpen(file.path, !(toggled.get(file.path) ?? (!file.generated && !viewed.has(file.path))))
              }
              onViewed={(isViewed) => mark(file.path, isViewed)}
            />
          ))}
          {shown.length === 0 && <p className="dim">No path contains “{q}”.</p>}
        </div>
      </div>
    </>
  );
}

function BackToChange({ change: { org, name: run, status } }: { change: Change }) {
  const waits = status?.steps.some(({ phase }) => phase === 'Waiting' || phase === 'NeedsGuidance') === true;
  return (
    <ButtonLink
      look={waits ? 'primary' : undefined}
      to="/$org/changes/$run"
      params={{ org, run }}
      {...(waits && { hash: 'decision' })}
    >
      {waits ? 'To the decision' : 'Back to the Change'}
    </ButtonLink>
  );
}

const NoCommit = ({ change }: { change: Change }) => (
  <>
    <PageHead title="Nothing changed yet" actions={<BackToChange change={change} />} />
    <Empty title="This Change has no commit yet">
      <p>The diff appears here with the first commit of an agent.</p>
    </Empty>
  </>
);
