import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { boardQuery, createIssue, type Issue } from '../../api/queries/issues.ts';
import { productQuery } from '../../api/queries/products.ts';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { AreaField, ChoiceField, TextField } from '../../parts/form-fields.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useUnsentText } from '../../parts/use-unsent-text.ts';
import { announce } from '../../shell/announcer.tsx';

/** Writes an issue to the code host. What is typed stays until the issue exists. */
export function NewIssue({
  org,
  product,
  onCreated,
  onClose,
}: {
  org: string;
  product: string;
  onCreated: (issue: Issue) => void;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const { data } = useSuspenseQuery(productQuery(org, product));
  const { repos } = data.spec;
  const [title, setTitle, , clearTitle] = useUnsentText(`title of an issue of ${org}/${product}`);
  const [body, setBody, , clearBody] = useUnsentText(`text of an issue of ${org}/${product}`);
  const [labels, setLabels] = useState('');
  const [repo, setRepo] = useState(repos[0] ?? '');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (sent: { title: string; body: string }) =>
      await createIssue(org, product, {
        ...sent,
        repo,
        labels: labels
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean),
      }),
    onSuccess: async (issue, sent) => {
      clearTitle(sent.title);
      clearBody(sent.body);
      await queryClient.invalidateQueries({ queryKey: boardQuery(org, product).queryKey });
      announce(`Issue #${issue.number} is created.`);
    },
  });
  return (
    <Dialog title="New issue" onClose={onClose}>
      <Form
        error={error}
        // A person who has closed the dialog stays where they are.
        onSubmit={() => mutate({ title, body }, { onSuccess: onCreated })}
        why={repos.length === 0 ? 'The Product has no repo, so no issue can be written.' : undefined}
        foot={
          <>
            <Button look="primary" type="submit" busy={isPending}>
              {isPending ? 'Writing the issue…' : 'Create the issue'}
            </Button>
            <Button look="plain" onClick={onClose}>
              Cancel
            </Button>
          </>
        }
      >
        <TextField label="Title" pointer="/title" value={title} onChange={setTitle} required maxLength={250} />
        <AreaField
          label="Text"
          pointer="/body"
          hint="Agents read it too: what is wanted, and how a person would see that it works. Markdown is allowed."
          value={body}
          onChange={setBody}
          rows={8}
        />
        <TextField
          label="Labels"
          pointer="/labels"
          hint="Separated by commas. A label can start an AgentWorkflow."
          value={labels}
          onChange={setLabels}
        />
        {repos.length > 1 && (
          <ChoiceField
            label="Repo"
            pointer="/repo"
            value={repo}
            options={repos.map((one) => [one, one] as const)}
            onChange={setRepo}
          />
        )}
      </Form>
    </Dialog>
  );
}
