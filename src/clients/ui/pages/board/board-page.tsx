import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { agentWorkflowsQuery } from '../../api/queries/agents.ts';
import { boardQuery, type Column as ColumnName, type Issue } from '../../api/queries/issues.ts';
import { productQuery } from '../../api/queries/products.ts';
import { every } from '../../live/live-state.ts';
import { useLive } from '../../live/live.tsx';
import { ConfirmCancel } from './confirm-cancel.tsx';
import { Button } from '../../parts/button.tsx';
import { listChangeWorkflows } from '../../parts/change-workflows.ts';
import { Empty } from '../../parts/page.tsx';
import { ProductHead } from '../../parts/product-head.tsx';
import { StartChange } from '../../parts/start-change.tsx';
import styles from './board.module.css';
import { Column } from './column.tsx';
import { Filters } from './filters.tsx';
import { IssueDialog } from './issue-dialog.tsx';
import { columns, findNeighbour, matchesFilter, toKey, toTarget, type Key } from './moves.ts';
import { MoveRefusal } from './move-refusal.tsx';
import { useMove, withMoves } from './use-move.ts';

/** A card has about 20 elements, and a page at most 2,000. */
const cardsFirst = 20;
const route = getRouteApi('/signed-in/$org/products/$product/board');

/** The issues of a Product by how far they have come. Moving a card starts or cancels its Change. */
export function BoardPage() {
  const { org, product } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$org/products/$product/board' });
  // The code host has no stream, so issues that are written there appear a little later.
  const { data: board } = useSuspenseQuery({
    ...boardQuery(org, product),
    refetchInterval: ({ state }) => every(state.data?.creating ? 2_000 : 30_000)(),
  });
  const { data: agentWorkflows } = useSuspenseQuery(agentWorkflowsQuery(org));
  const { data } = useSuspenseQuery(productQuery(org, product));
  useLive({ kind: 'changes', org });
  const { move, moving, refusal, dismiss } = useMove(org, product);
  const [dragged, setDragged] = useState<Issue>();
  const [chosen, setChosen] = useState<string>();
  const [limits, setLimits] = useState<Partial<Record<ColumnName, number>>>({});
  const [starting, setStarting] = useState<{ issue?: Issue }>();
  const [cancelling, setCancelling] = useState<{ issue: Issue; column: ColumnName }>();
  const main = useRef<HTMLDivElement>(null);
  const moved = useRef<string>(undefined);

  const issues = withMoves(board, moving).filter((issue) => matchesFilter(issue, search));
  const byColumn = columns.map((name) => {
    const all = issues.filter((issue) => issue.column === name);
    // A card that was moved is shown wherever it is now.
    const last = all.findIndex((issue) => toKey(issue) === chosen);
    return { name, all, limit: Math.max(limits[name] ?? cardsFirst, last + 1) };
  });
  const cards = byColumn.map(({ all, limit }) => all.slice(0, limit).map(toKey));
  const current = chosen !== undefined && cards.flat().includes(chosen) ? chosen : cards.flat()[0];
  const open = board.items.find((issue) => toKey(issue) === search.issue);

  const beingCreated = describeCreation(board.creating);
  const startAction = data.actions.find(({ name }) => name === 'startRun');
  const startWhy = startAction?.allowed === false ? startAction.message : undefined;
  const focusCard = (key: string): void =>
    main.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(key)}"] a`)?.focus();
  useEffect(() => {
    // A moved card is drawn again in its column, so the focus follows it.
    if (moved.current !== undefined) focusCard(moved.current);
    moved.current = undefined;
  });

  const carryOut = (issue: Issue, column: ColumnName): void => {
    const [agentWorkflow = 'change'] = listChangeWorkflows(agentWorkflows.items, issue.change?.agentWorkflow);
    const target = toTarget(issue, column);
    if (!target.move) return;
    moved.current = toKey(issue);
    setChosen(toKey(issue));
    move({ issue, column, move: target.move, agentWorkflow });
  };
  const request = (issue: Issue, column: ColumnName): void => {
    if (toTarget(issue, column).move === 'cancel') setCancelling({ issue, column });
    else carryOut(issue, column);
  };
  const setIssue = (issue: string | undefined): void =>
    void navigate({
      search: ({ issue: _issue, new: _new, ...rest }) => ({ ...rest, ...(issue !== undefined && { issue }) }),
    });

  return (
    <>
      <ProductHead product={data} tab="Board" />
      <Filters
        org={org}
        product={product}
        issues={board.items}
        search={search}
        whyNot={startWhy}
        onCreated={setIssue}
      />
      {refusal && <MoveRefusal {...refusal} org={org} onClose={dismiss} />}
      {board.items.length === 0 ? (
        <Empty title={beingCreated ?? 'No issue yet'}>
          <p>
            The board shows the issues of the Product’s repos, from those that wait for work to those that are done.
          </p>
        </Empty>
      ) : (
        <div
          ref={main}
          className={styles['board']}
          onFocus={({ target }) => setChosen(target.closest<HTMLElement>('[data-card]')?.dataset['card'])}
          onKeyDown={(event) => {
            const from = event.target instanceof Element && event.target.closest<HTMLElement>('[data-card]');
            if (!from || !event.key.startsWith('Arrow')) return;
            const next = findNeighbour(cards, from.dataset['card'] ?? '', event.key as Key);
            event.preventDefault();
            if (next !== undefined) focusCard(next);
          }}
        >
          {byColumn.map(({ name, all, limit }) => (
            <Column
              key={name}
              name={name}
              issues={all}
              limit={limit}
              onMore={() => setLimits({ ...limits, [name]: limit + cardsFirst })}
              org={org}
              dragged={dragged}
              chosen={current}
              moving={moving}
              events={{ onMove: request, onStart: (issue) => setStarting({ issue }), onDrag: setDragged }}
            >
              {name === 'Backlog' && (
                <Button small look="plain" why={startWhy} onClick={() => setStarting({})}>
                  <Play className="i s" aria-hidden="true" />
                  Start a Change…
                </Button>
              )}
            </Column>
          ))}
        </div>
      )}
      {board.items.length > 0 && beingCreated !== undefined && <p role="status">{beingCreated}</p>}
      {board.continue !== undefined && (
        <p className="small dim">The board shows the first {board.items.length} issues.</p>
      )}
      {open && (
        <IssueDialog
          org={org}
          product={product}
          issue={open}
          onStart={() => {
            setStarting({ issue: open });
            setIssue(undefined);
          }}
          onClose={() => setIssue(undefined)}
        />
      )}
      {starting && <StartChange org={org} product={product} {...starting} onClose={() => setStarting(undefined)} />}
      {cancelling && (
        <ConfirmCancel
          issue={cancelling.issue}
          onClose={() => setCancelling(undefined)}
          onConfirm={() => carryOut(cancelling.issue, cancelling.column)}
        />
      )}
    </>
  );
}

function describeCreation(count = 0): string | undefined {
  if (count === 0) return undefined;
  return count === 1 ? 'An issue is being created.' : `${count} issues are being created.`;
}
