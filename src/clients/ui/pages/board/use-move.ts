import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { boardQuery, type BoardData, type Column, type Issue } from '../../api/queries/issues.ts';
import { request } from '../../api/request.ts';
import { announce } from '../../shell/announcer.tsx';
import { toKey, type Move } from './moves.ts';

type Order = { issue: Issue; column: Column; move: Move; agentWorkflow: string };

/** Moves cards optimistically, and back when the service rejects the move. */
export function useMove(org: string, product: string) {
  const queryClient = useQueryClient();
  const mutationKey = ['move', org, product];
  const [refusal, setRefusal] = useState<{ issue: Issue; error: Error }>();
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: async ({ issue, move, agentWorkflow }: Order) => {
      if (move === 'cancel')
        return await request('post', '/v1/orgs/{org}/agentworkflowruns/{run}/cancel', {
          params: { org, run: issue.change?.run ?? '' },
        });
      return await request('post', '/v1/orgs/{org}/agentworkflowruns', {
        params: { org },
        body: { agentWorkflow, product, target: { repo: issue.repo, number: issue.number } },
      });
    },
    onMutate: ({ issue, column }) => {
      setRefusal(undefined);
      announce(`#${issue.number} moves to ${column}`);
    },
    onError: (error, { issue }) => setRefusal({ issue, error }),
    // The card stays where it was moved until the board of the server says the same.
    onSettled: async () => await queryClient.invalidateQueries({ queryKey: boardQuery(org, product).queryKey }),
  });
  const pending = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as Order,
  });
  const moving = new Map(pending.map(({ issue, column }) => [toKey(issue), column]));
  return { move: mutate, moving, refusal, dismiss: () => setRefusal(undefined) };
}

/** The board as it will be when the moves in progress succeed. */
export const withMoves = (board: BoardData, moving: ReadonlyMap<string, Column>): Issue[] =>
  board.items.map((issue) => {
    const column = moving.get(toKey(issue));
    return column ? { ...issue, column } : issue;
  });
