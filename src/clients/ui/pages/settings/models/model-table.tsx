import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { modelsQuery } from '../../../api/queries/agents.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { NumberField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import forms from '../../../parts/form.module.css';
import { Section, Skeleton } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import table from '../../../parts/table.module.css';
import { findRefusal } from '../find-refusal.ts';

type Model = Schemas['OfferedModel'];
type Price = Omit<NonNullable<Model['price']>, 'source'>;

/** The models that the provider offers, with the prices that costs are counted with. */
export function ModelTable({ org, actions }: { org: string; actions: Schemas['Action'][] }) {
  const { data, error, refetch, isPending } = useQuery(modelsQuery(org));
  const [edited, setEdited] = useState<string>();
  const why = findRefusal(actions, 'putModelPrices');
  return (
    <Section id="models" title="Models and prices" note="US dollars for a million tokens">
      {isPending && <Skeleton rows={3} />}
      {error && (
        <>
          <ProblemNotice error={error} />
          <div className={forms['foot']}>
            <Button onClick={() => void refetch()}>Ask the provider again</Button>
          </div>
        </>
      )}
      {data && (
        <table className={table['tbl']}>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Price</th>
              <th scope="col" className={table['n']}>
                Input
              </th>
              <th scope="col" className={table['n']}>
                Cached
              </th>
              <th scope="col" className={table['n']}>
                Output
              </th>
              <td />
            </tr>
          </thead>
          <tbody>
            {data.items.map((item) => (
              <tr key={item.model}>
                <th scope="row">
                  {item.model}
                  {item.isDefault && <span className="dim small"> default</span>}
                </th>
                <td data-l="Price">
                  {item.price ? (item.price.source === 'org' ? 'Set by the org' : 'Built in') : 'Not known'}
                </td>
                <td data-l="Input" className={table['n']}>
                  {item.price?.inputPerMillion}
                </td>
                <td data-l="Cached" className={table['n']}>
                  {item.price?.cachedInputPerMillion}
                </td>
                <td data-l="Output" className={table['n']}>
                  {item.price?.outputPerMillion}
                </td>
                <td className="right">
                  <Button
                    small
                    why={why}
                    aria-label={`Set price of ${item.model}`}
                    onClick={() => setEdited(item.model)}
                  >
                    Set price
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data && edited !== undefined && (
        <PriceForm key={edited} org={org} model={edited} items={data.items} onDone={() => setEdited(undefined)} />
      )}
    </Section>
  );
}

/** The prices that the org has set for other models. */
const listOwnPrices = (items: Model[], model: string): Price[] =>
  items.flatMap(({ model: name, price }) => {
    if (price?.source !== 'org' || name === model) return [];
    const { source: _source, ...own } = price;
    return [own];
  });

function PriceForm({ org, model, items, onDone }: { org: string; model: string; items: Model[]; onDone: () => void }) {
  const before = items.find((item) => item.model === model)?.price;
  const [price, setPrice] = useState<Partial<Price>>(before ?? {});
  const queryClient = useQueryClient();
  const own = listOwnPrices(items, model);
  const save = useMutation({
    mutationFn: async (mine: Price[]) => {
      // All prices are replaced together, and another person may have set one meanwhile.
      const fresh = await queryClient.fetchQuery({ ...modelsQuery(org), staleTime: 0 });
      return await request('put', '/v1/orgs/{org}/models/prices', {
        params: { org },
        body: { prices: [...listOwnPrices(fresh.items, model), ...mine] },
      });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['models', org] });
      onDone();
    },
  });
  const submit = (): void =>
    save.mutate([
      {
        model,
        inputPerMillion: price.inputPerMillion ?? 0,
        outputPerMillion: price.outputPerMillion ?? 0,
        ...(price.cachedInputPerMillion !== undefined && { cachedInputPerMillion: price.cachedInputPerMillion }),
        currency: 'USD',
      },
    ]);
  return (
    <Form
      label={`Price of ${model}`}
      error={save.error}
      onSubmit={() => save.isPending || submit()}
      foot={
        <>
          <Button look="primary" type="submit" busy={save.isPending}>
            Save the price
          </Button>
          {before?.source === 'org' && <Button onClick={() => save.mutate([])}>Use the built-in price</Button>}
          <Button look="plain" onClick={onDone}>
            Cancel
          </Button>
        </>
      }
    >
      <TextField label="Model" pointer={`/prices/${own.length}/model`} value={model} onChange={() => {}} readOnly />
      <div className={forms['side']}>
        {(['inputPerMillion', 'cachedInputPerMillion', 'outputPerMillion'] as const).map((name) => (
          <NumberField
            key={name}
            label={
              { inputPerMillion: 'Input', cachedInputPerMillion: 'Cached input', outputPerMillion: 'Output' }[name]
            }
            pointer={`/prices/${own.length}/${name}`}
            min={0}
            step="any"
            value={price[name]}
            onChange={(value) => {
              const { [name]: _old, ...rest } = price;
              setPrice(value === undefined ? rest : { ...rest, [name]: value });
            }}
          />
        ))}
      </div>
    </Form>
  );
}
