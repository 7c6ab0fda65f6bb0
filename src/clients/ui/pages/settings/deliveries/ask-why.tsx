import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { explanationQuery } from '../../../api/queries/settings.ts';
import { Button } from '../../../parts/button.tsx';
import { Explanations } from '../../../parts/explanations.tsx';
import field from '../../../parts/field.module.css';
import { Section, Skeleton } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { useFollowedState } from '../../../parts/use-followed-state.ts';
import styles from '../access/access.module.css';

/** Answers why an event, or everything that happened to an issue, started what it did. */
export function AskWhy({
  org,
  about,
  onAsk,
}: {
  org: string;
  about: string | undefined;
  onAsk: (about: string | undefined) => void;
}) {
  const [typed, setTyped] = useFollowedState(about, toIssue);
  const id = useId();
  return (
    <Section id="why" title="Why did nothing start?" note="Answered by the rule that judged the event">
      <form
        className={styles['ask']}
        onSubmit={(event) => {
          event.preventDefault();
          onAsk(typed.trim() === '' ? undefined : `issue:${typed.trim()}`);
        }}
      >
        <label htmlFor={id}>Issue or pull request</label>
        <input
          id={id}
          className={`${field['input']} mono`}
          placeholder={`${org}/repo#12`}
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit">Ask</Button>
        {about !== undefined && (
          <Button look="plain" onClick={() => onAsk(undefined)}>
            Close
          </Button>
        )}
      </form>
      <div role="status">{about !== undefined && <Answer org={org} about={about} />}</div>
    </Section>
  );
}

const toIssue = (about: string | undefined): string =>
  about?.startsWith('issue:') ? about.slice('issue:'.length) : '';

function Answer({ org, about }: { org: string; about: string }) {
  const { data, error } = useQuery({ ...explanationQuery(org, about), retry: false });
  if (error) return <ProblemNotice error={error} />;
  return data ? <Explanations items={data.items} /> : <Skeleton rows={2} />;
}
