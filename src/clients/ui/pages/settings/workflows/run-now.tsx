import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { productsQuery } from '../../../api/queries/products.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { AreaField, ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { useNavigateIfHere } from '../../../parts/use-navigate-if-here.ts';
import { useUnsentText } from '../../../parts/use-unsent-text.ts';

/** Starts a run of the AgentWorkflow at once, whatever its triggers and schedule are. */
export const RunNow = ({ onClose, ...rest }: { org: string; agentWorkflow: string; onClose: () => void }) => (
  <Dialog title={`Run ${rest.agentWorkflow} now`} onClose={onClose}>
    <RunForm {...rest} onCancel={onClose} />
  </Dialog>
);

function RunForm({ org, agentWorkflow, onCancel }: { org: string; agentWorkflow: string; onCancel: () => void }) {
  const { data: products } = useQuery(productsQuery(org));
  const [chosen, setProduct] = useState('');
  const [issue, setIssue] = useState('');
  const [instructions, setInstructions, , clearInstructions] = useUnsentText(`instructions of ${org}/${agentWorkflow}`);
  const navigate = useNavigateIfHere();
  const queryClient = useQueryClient();
  const toProduct = (items: readonly { name: string }[] = []): string =>
    chosen === '' ? (items[0]?.name ?? '') : chosen;
  const product = toProduct(products?.items);
  const start = useMutation({
    mutationFn: async (sent: { instructions: string }) => {
      // A press counts before the Products are known.
      const { items } = await queryClient.ensureQueryData(productsQuery(org));
      return await request('post', '/v1/orgs/{org}/agentworkflowruns', {
        params: { org },
        body: {
          agentWorkflow,
          product: toProduct(items),
          ...(issue !== '' && { issue: Number(issue) }),
          ...(sent.instructions.trim() !== '' && sent),
        },
      });
    },
    onSuccess: async ({ name }, sent) => {
      clearInstructions(sent.instructions);
      await navigate({ to: '/$org/changes/$run', params: { org, run: name } });
    },
  });
  const why = products?.items.length === 0 ? 'The org has no Product yet. Create one first.' : undefined;
  return (
    <Form
      label="Run now"
      error={start.error}
      onSubmit={() => start.isPending || why !== undefined || start.mutate({ instructions })}
      foot={
        <>
          <Button look="primary" type="submit" busy={start.isPending} why={why}>
            Start the run
          </Button>
          <Button look="plain" onClick={onCancel}>
            Cancel
          </Button>
        </>
      }
    >
      <ChoiceField
        label="Product"
        pointer="/product"
        value={product}
        options={(products?.items ?? []).map(({ name, spec }) => [name, spec.displayName ?? name] as const)}
        onChange={setProduct}
        {...(why !== undefined && { hint: why })}
      />
      <TextField
        label="Issue"
        hint="Number of the issue to work on."
        pointer="/issue"
        type="number"
        min={1}
        value={issue}
        onChange={setIssue}
      />
      <AreaField
        label="Instructions"
        hint="The task, where there is no issue. A scheduled AgentWorkflow needs neither."
        pointer="/instructions"
        value={instructions}
        onChange={setInstructions}
      />
    </Form>
  );
}
