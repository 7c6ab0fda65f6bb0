import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { announce } from '../../shell/announcer.tsx';

/** Deletes the resource in a row of a table, after a question that says what follows. */
export function DeleteRow({
  kind,
  name,
  why,
  onDelete,
  onSettled,
  children,
}: {
  /** The word for the resource within a sentence. */
  kind: string;
  name: string;
  why: string | undefined;
  onDelete: () => Promise<unknown>;
  onSettled: () => Promise<void>;
  children: ReactNode;
}) {
  const remove = useMutation({
    mutationFn: onDelete,
    onSuccess: () => announce(`The ${kind} ${name} is deleted.`),
    onSettled,
  });
  const button = (
    <Button small why={why} aria-label={`Delete ${name}`} busy={remove.isPending}>
      Delete
    </Button>
  );
  return (
    <>
      {why === undefined ? (
        <Confirm trigger={button} title={`Delete ${name}?`} action="Delete" onConfirm={() => remove.mutate()}>
          {children}
        </Confirm>
      ) : (
        button
      )}
      {remove.error && <ProblemNotice error={remove.error} />}
    </>
  );
}
