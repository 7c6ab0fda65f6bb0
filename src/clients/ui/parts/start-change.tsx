import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { agentWorkflowsQuery, modelProviderQuery } from '../api/queries/agents.ts';
import type { Issue } from '../api/queries/issues.ts';
import { productsQuery } from '../api/queries/products.ts';
import { request } from '../api/request.ts';
import { Button } from './button.tsx';
import { listChangeWorkflows } from './change-workflows.ts';
import { Form } from './form.tsx';
import { AreaField, ChoiceField, TextField } from './form-fields.tsx';
import { Dialog } from './dialog.tsx';
import { useNavigateIfHere } from './use-navigate-if-here.ts';
import { useUnsentText } from './use-unsent-text.ts';

type Kind = 'issue' | 'pull-request' | 'task';
const kinds: [Kind, string][] = [
  ['issue', 'An issue'],
  ['pull-request', 'A pull request'],
  ['task', 'A task without an issue'],
];

/** Starts a Change on an issue, on a pull request, or on a task in words, and leads to its page. */
export function StartChange({
  org,
  product: givenProduct,
  issue,
  onClose,
}: {
  org: string;
  product?: string | undefined;
  issue?: Pick<Issue, 'repo' | 'number' | 'title' | 'change'>;
  onClose: () => void;
}) {
  const navigate = useNavigateIfHere();
  const { data: products } = useSuspenseQuery(productsQuery(org));
  const { data: agentWorkflows } = useSuspenseQuery(agentWorkflowsQuery(org));
  const { data: provider } = useQuery(modelProviderQuery(org));
  const names = listChangeWorkflows(agentWorkflows.items, issue?.change?.agentWorkflow);
  // The list may be older than the Product, so what was chosen counts, and not what the list had at first.
  const [chosenProduct, setProduct] = useState(givenProduct);
  const product = chosenProduct ?? products.items[0]?.name ?? '';
  const [kind, setKind] = useState<Kind>('issue');
  const [number, setNumber] = useState(issue ? String(issue.number) : '');
  const [task, setTask, , clearTask] = useUnsentText(`task in ${org}`);
  const [chosenWorkflow, setAgentWorkflow] = useState<string>();
  const agentWorkflow = chosenWorkflow ?? names[0] ?? '';
  const repos = products.items.find(({ name }) => name === product)?.spec.repos ?? [];
  const [chosenRepo, setRepo] = useState<string>();
  const repo = issue?.repo ?? (chosenRepo !== undefined && repos.includes(chosenRepo) ? chosenRepo : repos[0]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (sent: { task: string }) =>
      await request('post', '/v1/orgs/{org}/agentworkflowruns', {
        params: { org },
        body: {
          agentWorkflow,
          product,
          ...(kind === 'task'
            ? { instructions: sent.task }
            : { target: { number: Number(number), kind, ...(repo !== undefined && { repo }) } }),
        },
      }),
    onSuccess: async ({ name: run }, sent) => {
      clearTask(sent.task);
      await navigate({ to: '/$org/changes/$run', params: { org, run } });
    },
  });
  return (
    <Dialog
      title={issue ? `Start a Change on #${issue.number}` : 'Start a Change'}
      {...(issue && { note: issue.title })}
      onClose={onClose}
    >
      {provider?.source === 'none' && (
        <p>
          The org has no model provider, so the first agent of a Change fails.{' '}
          <Link to="/$org/settings/models" params={{ org }} onClick={onClose}>
            Set a model provider
          </Link>{' '}
          first.
        </p>
      )}
      <Form
        error={error}
        onSubmit={() => mutate({ task })}
        why={product === '' ? 'The org has no Product yet.' : undefined}
        foot={
          <>
            <Button look="primary" type="submit" busy={isPending}>
              {isPending ? 'Starting…' : 'Start the Change'}
            </Button>
            <Button look="plain" onClick={onClose}>
              Cancel
            </Button>
          </>
        }
      >
        {givenProduct === undefined && (
          <ChoiceField
            label="Product"
            pointer="/product"
            value={product}
            options={products.items.map(({ name, spec }) => [name, spec.displayName ?? name] as const)}
            onChange={setProduct}
          />
        )}
        {!issue && <ChoiceField label="On" value={kind} options={kinds} onChange={(next) => setKind(next as Kind)} />}
        {!issue && kind === 'task' && (
          <AreaField
            label="Task"
            pointer="/instructions"
            hint="What the agents do, as you would write it in an issue."
            value={task}
            onChange={setTask}
            rows={5}
            required
          />
        )}
        {!issue && kind !== 'task' && (
          <TextField
            label="Number"
            pointer={['/target', '/pullRequest', '/issue']}
            value={number}
            onChange={(text) => setNumber(text.replace(/^#/, ''))}
            inputMode="numeric"
            pattern="[0-9]+"
            title="The number of the issue or pull request"
            required
          />
        )}
        {!issue && repos.length > 1 && (
          <ChoiceField
            label="Repo"
            pointer="/target/repo"
            value={repo ?? ''}
            options={repos.map((one) => [one, one] as const)}
            onChange={setRepo}
          />
        )}
        <ChoiceField
          label="AgentWorkflow"
          pointer="/agentWorkflow"
          hint={agentWorkflows.items.find(({ name }) => name === agentWorkflow)?.spec.description}
          value={agentWorkflow}
          options={names.map((one) => [one, one] as const)}
          onChange={setAgentWorkflow}
        />
      </Form>
    </Dialog>
  );
}
