import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ExternalLink, X } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { boardQuery, explanationQuery, labelIssue, type Issue } from '../../api/queries/issues.ts';
import { Button } from '../../parts/button.tsx';
import { Explanations } from '../../parts/explanations.tsx';
import field from '../../parts/field.module.css';
import { Dialog } from '../../parts/dialog.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { whyNotStart } from './card-menu.tsx';
import { CardState } from './card-state.tsx';
import styles from './board.module.css';
import { toKey } from './moves.ts';
import { lazyPart } from '../../parts/lazy-file.ts';

type Explained = Schemas['Explanation']['items'][number];

const MarkdownText = lazyPart(
  async () => (await import('../../parts/markdown.tsx')).default,
  ({ text }: { text: string }) => <p>{text}</p>,
);

/** An issue: its text, its labels, its Change, and why it started one or none. */
export function IssueDialog({
  org,
  product,
  issue,
  onStart,
  onClose,
}: {
  org: string;
  product: string;
  issue: Issue;
  onStart: () => void;
  onClose: () => void;
}) {
  const { data: explanation } = useQuery(explanationQuery(org, `issue:${toKey(issue)}`));
  const whyNot = whyNotStart(issue);
  return (
    <Dialog
      title={issue.title}
      wide
      onClose={onClose}
      foot={
        <>
          <Button look={whyNot === undefined ? 'primary' : undefined} why={whyNot} onClick={onStart}>
            Start a Change…
          </Button>
          <Button onClick={onClose}>Close</Button>
          <OutsideLink className="push small" href={issue.url}>
            Open at the code host <ExternalLink className="i s inline" aria-label="(another site)" />
          </OutsideLink>
        </>
      }
    >
      <p className="row wrap dim">
        #{issue.number} of {issue.repo}, {issue.column?.toLowerCase() ?? 'not on the board'}, written by {issue.author}{' '}
        <Time at={issue.createdAt} />
        {issue.change && (
          <Link className="quiet push" to="/$org/changes/$run" params={{ org, run: issue.change.run }}>
            <CardState org={org} change={issue.change} />
          </Link>
        )}
      </p>
      {issue.body.trim() === '' ? (
        <p className="dim">The issue has no text.</p>
      ) : (
        <div className={styles['text']} tabIndex={0} role="group" aria-label="Text of the issue">
          <Suspense fallback={<p>{issue.body}</p>}>
            <MarkdownText text={issue.body} />
          </Suspense>
        </div>
      )}
      <Labels org={org} product={product} issue={issue} />
      {explanation && (
        <section>
          <h3>{issue.change ? 'What started' : 'Why nothing started'}</h3>
          <Explanations items={dropRepeated(explanation.items)} />
        </section>
      )}
    </Dialog>
  );
}

/** Several events of an issue often end for the same reason. */
const dropRepeated = (items: Explained[]): Explained[] => [
  ...new Map(items.map((item) => [`${item.message} ${item.fix ?? ''}`, item])).values(),
];

/** The labels of an issue. Adding one can start an AgentWorkflow, as it does at the code host. */
function Labels({ org, product, issue }: { org: string; product: string; issue: Issue }) {
  const queryClient = useQueryClient();
  const [text, setText] = useState('');
  const action = issue.actions.find(({ name }) => name === 'labelIssue');
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: async (change: { add?: string[]; remove?: string[] }) => await labelIssue(org, product, issue, change),
    onSuccess: async (_issue, { add }) => {
      if (add) setText((latest) => (latest.trim() === add[0] ? '' : latest));
      await queryClient.invalidateQueries({ queryKey: boardQuery(org, product).queryKey });
      await queryClient.invalidateQueries({ queryKey: ['explanation', org] });
    },
  });
  const why = action?.allowed === true ? undefined : (action?.message ?? 'You may not label this issue.');
  return (
    <section aria-label="Labels">
      <div className={styles['meta']}>
        {issue.labels.map((label) => (
          <span key={label} className={styles['label']}>
            {label}
            {why === undefined && (
              <button
                type="button"
                aria-label={`Remove ${label}`}
                disabled={isPending}
                onClick={() => mutate({ remove: [label] })}
              >
                <X className="i s" aria-hidden="true" />
              </button>
            )}
          </span>
        ))}
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (why === undefined && text.trim() !== '') mutate({ add: [text.trim()] });
          }}
        >
          <input
            className={field['input']}
            aria-label="New label"
            placeholder="New label"
            maxLength={50}
            readOnly={why !== undefined}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <Button small type="submit" busy={isPending} why={why}>
            {isPending && variables?.add ? 'Adding…' : 'Add'}
          </Button>
          {!issue.labels.includes('needs-hydration') && !issue.change && (
            <Button small look="plain" why={why} busy={isPending} onClick={() => mutate({ add: ['needs-hydration'] })}>
              Ask what it leaves open
            </Button>
          )}
        </form>
      </div>
      {error && <ProblemNotice error={error} />}
    </section>
  );
}
